"""How static files are collected for serving."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

_IMPORTS = (
    r'(?m)(?P<matched>^(?P<names>import [^"\n]* from )"(?P<url>\.[^"\n]+)";)',
    '%(names)s"%(url)s";',
)


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise has no types
    """Gives static files names with a hash of the content, also in the imports of Vertex's JavaScript modules.

    So a browser never mixes two versions. Django's own `support_js_module_import_aggregation` would also rewrite the scripts of other
    packages, and comments.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", (_IMPORTS,)))
    max_post_process_passes = 12
    """More than the length of the longest chain of imports, because each pass resolves one link of it."""
