"""How static files are collected for serving."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

_IMPORTS = (
    r'(?m)(?P<matched>^(?P<names>import [^"\n]* from )"(?P<url>\.[^"\n]+)";)',
    '%(names)s"%(url)s";',
)


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise has no types
    """Names with a hash of the content, in the imports of our JavaScript modules too: a browser never mixes two versions.

    Django's own `support_js_module_import_aggregation` would also rewrite what other packages' scripts, and comments, mention.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", (_IMPORTS,)))
    max_post_process_passes = 12
    """More than the longest chain of imports, because a pass settles one link of it."""
