"""The form for a file of labels."""

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext, gettext_lazy

from extraction.services.core.percent import write_number
from extraction.services.lab import page_labels


class LabelsForm(forms.Form):
    """A text file of addresses and labels. `cleaned_data["file"]` holds its text."""

    file = forms.FileField(error_messages={"required": gettext_lazy("choose a file first"), "empty": gettext_lazy("the file is empty")})

    def clean_file(self) -> str:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > page_labels.MOST_BYTES:
            raise forms.ValidationError(
                gettext("%(file)s has %(size)s bytes; at most %(most_bytes)s are accepted")
                % {"file": file.name, "size": write_number(file.size or 0), "most_bytes": write_number(page_labels.MOST_BYTES)}
            )
        try:
            text: str = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(gettext("%(file)s is not UTF-8 text") % {"file": file.name}) from error
        return text
