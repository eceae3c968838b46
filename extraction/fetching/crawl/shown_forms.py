"""The forms that a browser shows to a person who signs in, as values that cross the pipe."""

from dataclasses import dataclass

TEXT_KINDS = frozenset({"text", "search", "email", "tel", "url", "number", "textarea"})
"""Fields into which a person types something that everybody may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownField:
    """A field or a button that is visible.

    kind: the type of an input, or select, textarea.
    label: what people see beside it.
    selector: a CSS selector that finds this element only, in the page, in its open shadow roots and in its frames of the same host; "" if
        none does.
    """

    label: str
    kind: str
    name: str = ""
    selector: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownForm:
    """A form of which something is visible.

    fields: those that are visible, in the order of the page, without buttons.
    button: the one that Enter presses or, if there is none, the first that a script may listen to; None without any.
    frame: the address of the frame that shows it; "" for the page itself.
    """

    fields: tuple[ShownField, ...] = ()
    button: ShownField | None = None
    is_search: bool = False
    frame: str = ""

    @property
    def texts(self) -> list[ShownField]:
        """The fields that people type into."""
        return [each for each in self.fields if each.kind in TEXT_KINDS]

    @property
    def passwords(self) -> list[ShownField]:
        """The fields for a password."""
        return [each for each in self.fields if each.kind == "password"]

    @property
    def has_password(self) -> bool:
        """Whether it asks for a password."""
        return bool(self.passwords)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownForms:
    """The forms of a page.

    elsewhere: the addresses of its frames of other hosts that show fields. Steps fill in nothing there.
    notices: what of the page was not read, in words.
    """

    forms: tuple[ShownForm, ...] = ()
    elsewhere: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
