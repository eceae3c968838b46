"""The sign-in of a site in the client: the forms of its page, and its steps tried at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from vertex.client_connection import Connection, join_path
from vertex.client_rows import read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A field or a button of a form. selector: a CSS selector that finds it alone; "" if none does."""

    label: str
    kind: str
    name: str
    selector: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageForm:
    """A form of a page, with what is visible of it.

    button: None if it has none.
    frame: the address of the frame that shows it; "" for the page itself.
    """

    has_password: bool
    fields: Sequence[FormField]
    button: FormField | None
    frame: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPage:
    """The page to sign in as Vertex sees it. Forms with a password come first.

    elsewhere: the addresses of its frames of other hosts that show fields. To sign in there, give that address instead.
    notices: what of the page was not read.
    """

    address: str
    forms: Sequence[PageForm] = field(default_factory=tuple)
    elsewhere: Sequence[str] = field(default_factory=tuple)
    notices: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedSignIn:
    """What came of the steps of a sign-in.

    failure: which step failed, and why; "" if none did.
    step: the number of the last step that was taken or failed.
    url, title, text: of the page that was shown then.
    saved: whether the steps are those of the site.
    """

    failure: str
    step: int
    url: str
    title: str
    text: str
    saved: bool


class SignInCalls(Connection):
    """Calls about the sign-in of a site. Each takes up to a minute and a half."""

    def read_sign_in_forms(self, site: str, address: str) -> SignInPage:
        """Return the forms of the page to sign in as Vertex sees them."""
        return read_row(SignInPage, self.request("POST", join_path("sites", site, "sign-in", "forms"), body={"address": address}))

    def set_up_sign_in(
        self,
        site: str,
        address: str,
        *,
        password: str,
        button: str,
        password_field: str = "",
        name_field: str = "",
        name: str = "",
        anyway: bool = False,
    ) -> TriedSignIn:
        """Write the steps of a sign-in, try them, and save them if they work. Fields and button are named by their selectors.

        password_field: "" if the password is on the page that follows the click. Vertex finds its field and its button there.
        anyway: save the steps even if they fail. Steps without a field for the password are not saved.
        """
        fields = {"name_field": name_field, "name": name, "password_field": password_field, "password": password, "button": button}
        body = {"address": address, **fields, "anyway": anyway}
        return read_row(TriedSignIn, self.request("POST", join_path("sites", site, "sign-in"), body=body))

    def try_sign_in(self, site: str) -> TriedSignIn:
        """Try the stored steps of a site's sign-in."""
        return read_row(TriedSignIn, self.request("POST", join_path("sites", site, "sign-in", "try")))
