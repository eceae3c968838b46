"""Files of static/ that are written into a page: stylesheets unchanged, and JavaScript modules joined into one script.

A frame without an origin cannot import modules from Vertex, so the server joins them. This needs no build step, because the modules use
only a form that can be joined by removing lines and words: named imports of relative files, one per line, and `export` before a
declaration.
"""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders

_IMPORT = re.compile(r'^import \{[^}\n]*\} from "(\.{1,2}/[\w./-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)
_OTHER_FORM = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_DECLARED = re.compile(r"^(?:async )?(?:function|const|let|class) (\w+)|^/\*\* @type .*\*/ let (\w+)", re.MULTILINE)


def read_static(name: str) -> str:
    """Return the text of a static file. It is read once, or each time if DEBUG is on."""
    return _read_once(_path_of(name)) if not settings.DEBUG else _read(_path_of(name))


def join_modules(name: str) -> str:
    """Return a JavaScript module and everything it imports as one text. Each file comes once, after the files that it imports.

    Raises ValueError if an import or export has another form, or if two modules declare the same name.
    """
    return _join_once(_path_of(name)) if not settings.DEBUG else _join(_path_of(name))


def _path_of(name: str) -> Path:
    found: Any = finders.find(name)
    if not found:
        raise FileNotFoundError(f"static file {name}")
    return Path(found)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _join(path: Path) -> str:
    joined = "".join(_parts(path, set()))
    if other := _OTHER_FORM.search(joined):
        raise ValueError(f"{path.name} and its imports cannot be joined: {other[0]}")
    names = Counter(name for pair in _DECLARED.findall(joined) for name in pair if name)
    if twice := sorted(name for name, count in names.items() if count > 1):
        raise ValueError(f"{path.name} and its imports cannot be joined: several of them declare {', '.join(twice)}")
    return joined


def _parts(path: Path, seen: set[Path]) -> list[str]:
    if path in seen:
        return []
    seen.add(path)
    source = _read(path)
    imported = [part for target in _IMPORT.findall(source) for part in _parts((path.parent / target).resolve(), seen)]
    return [*imported, _EXPORT.sub("", _IMPORT.sub("", source))]


_read_once = cache(_read)
_join_once = cache(_join)
