// The left column: the sample pages, how much of each is marked, and how much of the template they cover.

import { bar, h } from "../core/dom.js";
import { gettext, ngettext } from "../core/words.js";
import { markedRows } from "./rows.js";
import { apart, needed, percent, saidOn, standing } from "./store.js";

const OUTDATED = gettext("This page looks different now. What is marked here does not teach the new design.");
const OFFERED = gettext("not a sample page, but marking it would improve the rule");

/** @param {HTMLElement} list @param {import("./store.js").Store} store @param {(page: number) => void} open */
export function drawSamples(list, store, open) {
  const titles = apart(store.samples.map((sample) => sample.title || sample.url));
  const all = needed(store);
  const rows = store.samples.map((sample, number) => row(store, sample, number + 1, { title: titles[number], optional: number >= all, open }));
  if (all < rows.length) rows.splice(all, 0, h("li", { class: "wb-enough muted small" }, gettext("enough for most templates")));
  list.replaceChildren(...rows);
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** @param {import("./store.js").Store} store @param {import("./store.js").Sample} sample @param {number} number @param {{title: string, optional: boolean, open: (page: number) => void}} how */
function row(store, sample, number, { title, optional, open }) {
  const said = saidOn(store, sample.id);
  const all = store.attributes.length;
  const proposed = store.attributes.filter((attribute) => standing(store, attribute.id, sample.id).kind === "proposed").length;
  const rows = store.lists.reduce((count, list) => count + markedRows(store, list.id, sample.id).length, 0);
  const [sign, word, look] =
    sample.outdated ? ["◌", gettext("old design"), "muted"] : said === all ? ["✓", gettext("done"), "state-ok"] : said ? ["●", gettext("%(said)s of %(all)s", { said, all }), "state-draft"] : rows ? ["●", ngettext("%(count)s row marked", "%(count)s rows marked", rows), "state-draft"] : ["○", optional ? gettext("optional") : proposed ? gettext("%(proposed)s of %(all)s proposed", { proposed, all }) : gettext("nothing yet"), "muted"];
  const covered = sample.covered ? percent(sample.covered, 1) : ""; // 0 is only a lower bound until advice has come
  const why = said < all ? sample.reason : "";
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button", class: `wb-sample${optional ? " wb-optional" : ""}`, "aria-current": sample.id === store.page ? "page" : null, title: [sample.title || sample.url, sample.url, covered ? gettext("Pages 1 to %(number)s cover at least %(covered)s of the template", { number, covered }) : sample.covered === null && OFFERED, sample.outdated && OUTDATED, why].filter(Boolean).join("\n"),
        data: { page: sample.id }, on: { click: () => open(sample.id) },
      },
      h("span", { class: "wb-sample-number figures" }, String(number)),
      h("span", { class: `wb-sample-sign ${look}` }, sign),
      h("span", { class: "truncate" }, title),
      h("span", { class: "wb-sample-word muted" }, word),
      h("span", { class: "wb-sample-share figures muted" }, covered),
      why && h("span", { class: "wb-sample-why" }, why),
      sample.covered !== null && bar(sample.covered, covered && gettext("%(covered)s covered so far", { covered })),
    ),
  );
}
