"""A person's XPath, checked before a service sees it."""

from django import forms

from extraction.algorithms.dom.xpath import expand


class XPathForm(forms.Form):
    """Another XPath for an attribute of a rule."""

    attribute = forms.CharField(max_length=60)
    xpath = forms.CharField(max_length=4000)

    def clean_xpath(self) -> str:
        """XPath 1.0: the short forms that the page shows are taken, too."""
        return expand(self.cleaned_data["xpath"])
