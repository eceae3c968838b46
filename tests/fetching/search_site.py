"""A shop whose products are found by its search only: with hidden fields, several result pages, sorting, and links around the results."""

from urllib.parse import parse_qs, quote_plus, urlsplit

from tests.fetching.site_pages import Answer, Site, html, redirect

PRODUCTS = {f"lamp {n}": n for n in range(1, 26)} | {"chair of oak": 100, "Stühle & Bänke": 101, "desk": 102}
PER_PAGE = 10

FORM = """<form action="/find" role="search"><input type="hidden" name="lang" value="en"><label>What <input name="q"></label>
<select name="in"><option value="all">Everywhere</option><option value="names">In names</option></select>
<input type="checkbox" name="sold" value="yes"><button name="go" value="1">Search</button></form>"""
POST_FORM = FORM.replace('action="/find"', 'action="/find" method="post"')
AROUND = "<nav><a href='/about'>About us</a> <a href='/imprint'>Imprint</a></nav>"


class SearchSite(Site):
    """The shop. form: what is on /search. empty: the status of a search that finds nothing. to_one: whether a single result is opened."""

    def __init__(self, *, form: str = FORM, empty: int = 200, to_one: bool = False, canonical: bool = False) -> None:
        super().__init__()
        self.form, self.empty, self.to_one, self.canonical = form, empty, to_one, canonical
        self.asked: list[dict[str, list[str]]] = []

    def answer(self, target: str, headers: dict[str, str]) -> Answer:
        parts = urlsplit(target)
        if parts.path in ("/", "/search"):
            return html("Shop", f"<p>Find what you need in our shop</p>{self.form}{AROUND}")
        if parts.path == "/find":
            return self._find(parse_qs(parts.query, keep_blank_values=True))
        if parts.path in ("/about", "/imprint"):
            return html(parts.path, f"<p>All there is to say {parts.path}</p>{AROUND}")
        name = next((name for name, n in PRODUCTS.items() if parts.path == f"/product/{n}"), "")
        return (
            html(name, f"<p>The {name} costs {len(name)} pounds and is number {parts.path}</p>{AROUND}")
            if name
            else html("No", "", status=404)
        )

    def _find(self, query: dict[str, list[str]]) -> Answer:
        term, number = query.get("q", [""])[0], int(query.get("page", ["1"])[0])
        if "page" not in query and "sort" not in query:
            self.asked.append(query)
        found = [n for name, n in PRODUCTS.items() if term and term.lower() in name.lower()]
        head = "<link rel=canonical href=/find>" if self.canonical else ""
        if not found:
            return html("Nothing", f"<p>No results</p>{self.form}{AROUND}", status=self.empty, head=head)
        if self.to_one and len(found) == 1:
            return redirect(f"/product/{found[0]}")
        shown = found[(number - 1) * PER_PAGE : number * PER_PAGE]
        rows = "".join(f"<li><a href='/product/{n}'>Product number {n}</a></li>" for n in shown)
        own = f"/find?lang=en&q={quote_plus(term)}&in=all&go=1"
        pages = "".join(f"<a href='{own}&page={each + 1}'>{each + 1}</a> " for each in range((len(found) - 1) // PER_PAGE + 1))
        sorting = f"<a href='{own}&sort=price'>By price</a>"
        return html(f"Results for {term}", f"<ul>{rows}</ul>{pages}{sorting}{self.form}{AROUND}", head=head)
