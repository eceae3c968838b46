"""Errors of the algorithms. Each names the thing and the value that was wrong."""


class VertexError(Exception):
    """Anything that goes wrong in the algorithms for a reason a user can act on."""


class PageError(VertexError):
    """A page that cannot be read: empty, too large, not HTML."""


class XPathError(VertexError):
    """An expression that is not valid XPath 1.0 or selects something that is no value."""


class RuleError(VertexError):
    """A rule that cannot be compiled or is inconsistent."""


class LearningError(VertexError):
    """No rule can be learned from what was annotated; the message names the attribute and the page."""


class AlignmentError(VertexError):
    """Pages that a method cannot bring to one structure; the message names the page and the place."""
