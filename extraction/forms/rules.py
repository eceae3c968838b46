"""The form for an XPath that a person writes."""

from django import forms

from extraction.algorithms.dom.xpath import expand


class XPathForm(forms.Form):
    """A new XPath for an attribute of a rule."""

    attribute = forms.CharField(max_length=60)
    xpath = forms.CharField(max_length=4000)

    def clean_xpath(self) -> str:
        """Return XPath 1.0. The short forms that the page shows are accepted and expanded."""
        return expand(self.cleaned_data["xpath"])
