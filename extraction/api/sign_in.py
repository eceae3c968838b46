"""The sign-in of a site: the forms of its page as Vertex sees them, and its steps tried at once."""

from ninja import Field, Schema

from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations, find_site
from extraction.api.problems import ProblemError, refuse_form
from extraction.fetching.crawl.messages import TriedSignIn
from extraction.fetching.crawl.shown_forms import ShownField, ShownForm
from extraction.forms.sign_in_setup import SignInChoiceForm
from extraction.services.sites import sign_in_setup
from extraction.views.sites import sign_in

operations = Operations("Sites")


class SignInAddressIn(RequestBody):
    """The page to sign in."""

    address: str = Field(max_length=2000)


class FormFieldOut(Schema):
    """A field or a button. selector: a CSS selector that finds it alone; empty if none does."""

    label: str
    kind: str
    name: str
    selector: str


class PageFormOut(Schema):
    """A form of the page, with what is visible of it.

    button: null if it has none.
    frame: the address of the frame that shows it; empty for the page itself.
    """

    has_password: bool
    fields: list[FormFieldOut]
    button: FormFieldOut | None
    frame: str


class SignInPageOut(Schema):
    """The page to sign in as Vertex sees it. Forms with a password come first.

    elsewhere: the addresses of its frames of other hosts that show fields. To sign in there, give that address instead.
    notices: what of the page was not read.
    """

    address: str
    forms: list[PageFormOut]
    elsewhere: list[str]
    notices: list[str]


class SignInChoiceIn(RequestBody):
    """What to fill in, and where: fields and button by their selectors.

    name_field: empty if there is only a password.
    password_field: empty if the password is on the page that follows the click. Vertex finds its field and its button there.
    anyway: save the steps even if they fail. Steps without a field for the password are not saved.
    """

    address: str = Field(max_length=2000)
    name_field: str = ""
    name: str = ""
    password_field: str = ""
    password: str
    button: str
    anyway: bool = False


class TriedSignInOut(Schema):
    """What came of the steps.

    failure: which step failed, and why; empty if none did.
    step: the number of the last step that was taken or failed.
    url, title, text: of the page that was shown then. What was filled in is taken out.
    saved: whether the steps are those of the site.
    """

    failure: str
    step: int
    url: str
    title: str
    text: str
    saved: bool


@operations.post("/sites/{slug:slug}/sign-in/forms", like=sign_in.set_up_sign_in, response=SignInPageOut)
def read_sign_in_forms(request: ApiRequest, slug: str, body: SignInAddressIn) -> SignInPageOut:
    """Open the page to sign in and list its forms. This takes up to a minute and a half."""
    try:
        page = sign_in_setup.read_page(find_site(request, slug), body.address)
    except sign_in_setup.SetupError as error:
        raise ProblemError(422, str(error)) from error
    forms = [_describe_form(form) for form in page.shown.forms]
    return SignInPageOut(address=page.url, forms=forms, elsewhere=list(page.shown.elsewhere), notices=list(page.shown.notices))


@operations.post("/sites/{slug:slug}/sign-in", like=sign_in.set_up_sign_in, response=TriedSignInOut)
def set_up_sign_in(request: ApiRequest, slug: str, body: SignInChoiceIn) -> TriedSignInOut:
    """Write the steps of a sign-in, try them, and save them if they work. This takes up to a minute and a half."""
    form = SignInChoiceForm(body.model_dump())
    site = find_site(request, slug)
    tried = form.try_and_save(site) if form.is_valid() else None
    if tried is None:
        raise refuse_form(form)
    return _describe_trial(tried.said, saved=form.saved)


@operations.post("/sites/{slug:slug}/sign-in/try", like=sign_in.try_sign_in, response=TriedSignInOut)
def try_sign_in(request: ApiRequest, slug: str) -> TriedSignInOut:
    """Try the stored steps of a sign-in. This takes up to a minute and a half."""
    try:
        said = sign_in_setup.try_stored(find_site(request, slug))
    except sign_in_setup.SetupError as error:
        raise ProblemError(422, str(error)) from error
    return _describe_trial(said, saved=True)


def _describe_form(form: ShownForm) -> PageFormOut:
    return PageFormOut(
        has_password=form.has_password,
        fields=[_describe_field(each) for each in form.fields],
        button=_describe_field(form.button) if form.button else None,
        frame=form.frame,
    )


def _describe_field(each: ShownField) -> FormFieldOut:
    return FormFieldOut(label=each.label, kind=each.kind, name=each.name, selector=each.selector)


def _describe_trial(said: TriedSignIn, *, saved: bool) -> TriedSignInOut:
    return TriedSignInOut(failure=said.failure, step=said.step, url=said.url, title=said.title, text=said.text, saved=saved)
