"""The documentation inside the dashboard: the site that `make docs` builds or, where it was not built, the texts that it is made of."""

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils._os import safe_join
from django.views.decorators.http import require_safe
from django.views.static import serve

from extraction.models import Role
from extraction.views.policy import POLICY, requires

_INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


@require_safe
@requires(Role.VIEWER)
def show_help(request: HttpRequest, place: str = "") -> HttpResponseBase:
    """Send a page or a file of the documentation."""
    folder = Path(settings.VERTEX_HELP_DIR)
    if not (folder / "index.html").is_file():
        return _show_text(request, place)
    found = _find_file(folder, place)
    if found.is_dir():
        if place and not place.endswith("/"):
            return redirect("help_page", place=f"{place}/")
        found /= "index.html"
    if not found.is_file():
        raise Http404
    if found.suffix == ".html":
        return _send_page(found)
    return serve(request, str(found.relative_to(folder)), document_root=str(folder))


def _find_file(folder: Path, place: str) -> Path:
    """Return the path of a place below a folder. A place that leads out of the folder is not found."""
    try:
        return Path(safe_join(folder, place))
    except (SuspiciousFileOperation, ValueError) as error:
        raise Http404 from error


def _send_page(path: Path) -> HttpResponse:
    """Send a page that MkDocs wrote. The policy permits exactly the scripts that are written in the page."""
    content, policy = _read_page(path, path.stat().st_mtime_ns)
    return HttpResponse(content, headers={"Content-Security-Policy": policy})


@lru_cache(maxsize=256)
def _read_page(path: Path, _changed_ns: int) -> tuple[bytes, str]:
    content = path.read_bytes()
    digests = (base64.b64encode(hashlib.sha256(script).digest()).decode() for script in _INLINE_SCRIPT.findall(content))
    allowed = " ".join(f"'sha256-{digest}'" for digest in dict.fromkeys(digests))
    return content, POLICY.replace("script-src 'self'", f"script-src 'self' {allowed}".rstrip())


def _show_text(request: HttpRequest, place: str) -> HttpResponse:
    """Show the text from which a page would be built."""
    folder = Path(settings.VERTEX_DOCUMENTS_DIR)
    name = place.strip("/")
    for candidate in (f"{name}.md", f"{name}/index.md".lstrip("/")):
        found = _find_file(folder, candidate)
        if found.is_file():
            text = found.read_text(encoding="utf-8")
            return render(request, "extraction/core/help_text.html", {"text": text, "document": f"docs/{candidate}"})
    raise Http404
