"""Forms for sites as files."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext, gettext_lazy

from extraction.forms.teams import TeamField
from extraction.models import (
    Role,
    Site,
)
from extraction.services.core.access import visible_to
from extraction.services.core.percent import write_number

PREFER = {
    "stop": gettext_lazy("Import nothing"),
    "folder": gettext_lazy("The files count"),
    "installation": gettext_lazy("What is here counts"),
}


class FolderForm(forms.Form):
    """A zip file with the files of a site, and how it is imported."""

    file = forms.FileField(
        error_messages={"required": gettext_lazy("Choose a file first."), "empty": gettext_lazy("The file is empty. Choose another.")}
    )
    into = forms.ModelChoiceField(
        Site.objects.none(),
        required=False,
        to_field_name="slug",
        label=gettext_lazy("Import into"),
        empty_label=gettext_lazy("The site that the files name"),
    )
    team = TeamField()
    prefer = forms.ChoiceField(choices=list(PREFER.items()), required=False, label=gettext_lazy("If both sides have changed"))
    delete = forms.BooleanField(required=False, label=gettext_lazy("Remove what is only here"))

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["into"].queryset = visible_to(Site.objects.all(), user, least=Role.OPERATOR)  # type: ignore[attr-defined]
        cast(TeamField, self.fields["team"]).offer(user, Role.OPERATOR)

    def clean_file(self) -> "UploadedFile[bytes]":
        """Refuse files that are too large."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.VERTEX_UPLOAD_MAX_BYTES:
            raise forms.ValidationError(
                gettext(
                    "%(file)s has %(size)s bytes; at most %(vertex_upload_max_bytes)s are accepted. Use the command import_site on "
                    "the server."
                )
                % {
                    "file": file.name,
                    "size": write_number(file.size or 0),
                    "vertex_upload_max_bytes": write_number(settings.VERTEX_UPLOAD_MAX_BYTES),
                }
            )
        return file

    def clean_prefer(self) -> str:
        """Return the choice; without one, nothing is imported if there are conflicts."""
        return self.cleaned_data["prefer"] or "stop"
