"""The form for a file of labels."""

from django import forms
from django.core.files.uploadedfile import UploadedFile

from extraction.services.lab import page_labels


class LabelsForm(forms.Form):
    """A text file of addresses and labels. `cleaned_data["file"]` holds its text."""

    file = forms.FileField(error_messages={"required": "choose a file first", "empty": "the file is empty"})

    def clean_file(self) -> str:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > page_labels.MOST_BYTES:
            raise forms.ValidationError(f"{file.name} has {file.size:,} bytes; at most {page_labels.MOST_BYTES:,} are accepted")
        try:
            text: str = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(f"{file.name} is not UTF-8 text") from error
        return text
