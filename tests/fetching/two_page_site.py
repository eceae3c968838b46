"""A site for members that asks for the name on one page and for the password on the next."""

from tests.fetching import member_site
from tests.fetching.member_site import USER, MemberSite

NAME_FORM = "<form method=post action=/enter><label>Member <input name=user></label><button>Next</button></form>"
PASSWORD_FORM = """<form method=post action="/enter?member={name}" id="for-{name}"><p>Hello {name}</p>
  <input type=hidden name=user value="{name}">
  <input name=password type=password><button type=submit>Enter</button></form>"""

FIELDS = "<input id=user name=user><input id=password name=password type=password><button type=submit>Sign in</button>"
ENTRY = f"<form method=post action=/enter target=_top>{FIELDS}</form>"
"""A form with both, which leads out of a frame."""


class TwoPageSite(MemberSite):
    """Members who are asked for their name first. second: what the second page shows."""

    second = PASSWORD_FORM

    def enter(self, sent: dict[str, list[str]]) -> tuple[int, dict[str, str], bytes]:
        if "password" in sent:
            return super().enter(sent)
        name = sent["user"][0]
        if name != USER:
            return 200, {}, member_site.page("Unknown", f"<p>Nobody is called {name}.</p>{NAME_FORM}", member=False)
        return 200, {}, member_site.page("Password", self.second.format(name=name), member=False)
