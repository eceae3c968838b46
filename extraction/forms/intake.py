"""Forms for uploads."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext, gettext_lazy

from extraction.fetching.archives import ArchiveError
from extraction.forms.sites import SiteForm
from extraction.forms.teams import TeamField
from extraction.models import Role
from extraction.services.core import stored_texts
from extraction.services.core.percent import write_number
from extraction.services.intake import import_pages

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".warc", ".warc.gz")


class ImportForm(forms.Form):
    """An archive of pages."""

    file = forms.FileField(
        error_messages={"required": gettext_lazy("Choose a file first."), "empty": gettext_lazy("The file is empty. Choose another.")}
    )

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if not (file.name or "").lower().endswith(ARCHIVES):
            raise forms.ValidationError(
                gettext("%(file)s is not an archive that Vertex can read. Choose one of: %(archives)s.")
                % {"file": file.name, "archives": ", ".join(ARCHIVES)}
            )
        if (file.size or 0) > settings.VERTEX_UPLOAD_MAX_BYTES:
            raise forms.ValidationError(
                gettext(
                    "%(file)s has %(size)s bytes; at most %(vertex_upload_max_bytes)s are accepted. Split it, or use the command "
                    "import_pages on the server."
                )
                % {
                    "file": file.name,
                    "size": write_number(file.size or 0),
                    "vertex_upload_max_bytes": write_number(settings.VERTEX_UPLOAD_MAX_BYTES),
                }
            )
        try:
            import_pages.check_archive(file)
        except ArchiveError as error:
            raise forms.ValidationError(f"{file.name}: {stored_texts.tell(str(error))}.") from error
        return file


class NewUploadForm(ImportForm, SiteForm):
    """A new site and the archive of its pages."""

    team = TeamField()

    field_order = ["file", "name", "address"]

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(TeamField, self.fields["team"]).offer(user, Role.EDITOR)
