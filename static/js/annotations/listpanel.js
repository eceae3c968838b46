// A list in the right column: its heading with a chip for each row, and the rows that its rule finds on the page as a small table.

import { h } from "../core/dom.js";
import { gettext, ngettext } from "../core/words.js";
import { acceptable, columns, differs, foundFor, foundRows, markedRows, matches, rowOn, saidIn } from "./rows.js";

const SIGNS = { all: "✓", some: "●", none: "○", refused: "✕" };
const WORDS = { all: gettext("marked"), some: gettext("partly marked"), none: gettext("nothing marked"), refused: gettext("not a row") };

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {{openRow: (list: number, row: number) => void, acceptRows: (list: number) => void, refuseRow: (list: number) => void, show: (value: import("./store.js").Value) => void}} ListActions
 */

/** @param {Store} store @param {{id: number, name: string}} list @param {ListActions} actions */
export function drawListHead(store, list, actions) {
  const open = rowOn(store, list.id, store.page);
  const rows = [...new Set([...markedRows(store, list.id, store.page), open])].sort((a, b) => a - b);
  const chip = (/** @type {number} */ row) => {
    const said = saidIn(store, list.id, store.page, row);
    const title = gettext("Row %(row)s: %(words)s", { row, words: WORDS[said] });
    return button(`wb-row-chip wb-row-${said}`, title, row === open, () => actions.openRow(list.id, row), `${gettext("row %(row)s", { row })} `, h("span", {}, SIGNS[said]));
  };
  return h(
    "li",
    { class: "wb-list", data: { list: list.id } },
    h("h3", { class: "wb-list-name truncate", title: list.name }, list.name),
    h("div", { class: "wb-rows" }, ...shown(rows, open).map((row) => (row ? chip(row) : h("span", { class: "muted" }, "…"))), button("wb-row-chip", gettext("Mark another row (r)"), false, () => actions.openRow(list.id, 0), gettext("+ row"), h("kbd", {}, "r")), refusal(store, list.id, open, actions)),
    hint(store, list.id),
  );
}

/** The button that says that the open row is none, if its values are only proposed. @param {Store} store @param {number} list @param {number} open
 * @param {ListActions} actions */
function refusal(store, list, open, actions) {
  if (saidIn(store, list, store.page, open) !== "none" || !foundFor(store, list, store.page, open)) return null;
  const title = gettext("Say that the proposed row %(row)s is not a row of this list, such as an advert", { row: open });
  return button("wb-row-chip", title, false, () => actions.refuseRow(list), gettext("Not a row"));
}

/** Row numbers with a gap (0) where there are many. @param {number[]} rows @param {number} open */
function shown(rows, open) {
  if (rows.length <= 6) return rows;
  const kept = [...new Set([...rows.slice(0, 3), open, ...rows.slice(-1)])].sort((a, b) => a - b);
  return kept.flatMap((row, at) => (at && rows.indexOf(row) - rows.indexOf(kept[at - 1]) > 1 ? [0, row] : [row]));
}

/** @param {Store} store @param {number} list */
function hint(store, list) {
  const begun = markedRows(store, list, store.page).length;
  const learned = columns(store, list).some((attribute) => store.drafts.get(attribute.id)?.state === "learned");
  const failed = columns(store, list).map((attribute) => store.drafts.get(attribute.id)).find((draft) => draft?.state === "failed");
  if (failed) return h("p", { class: "wb-failure" }, h("span", {}, failed.message ?? ""));
  if (learned) return null;
  return h("p", { class: "muted small" }, begun ? gettext("Now mark the values of a second row. The other rows follow from two.") : gettext("Mark the values of the first row, then those of the second."));
}

/** The rows found on the page, after the list's attributes. @param {Store} store @param {{id: number, name: string}} list @param {ListActions} actions */
export function drawListTable(store, list, actions) {
  const found = foundRows(store, list.id, store.page);
  if (!found.length) return null;
  const which = matches(store, list.id, store.page);
  const shownColumns = columns(store, list.id);
  const left = new Set(acceptable(store, list.id, store.page).map(({ row }) => row)).size;
  const line = (/** @type {import("./rows.js").Row} */ row, /** @type {number} */ number) => {
    const first = shownColumns.map((attribute) => row[attribute.id]?.[0]).find(Boolean);
    return h(
      "tr",
      { class: which[number] ? "wb-found-marked" : "", on: { click: () => first && actions.show(first) } },
      standing(which[number], number, differs(store, list.id, store.page, which[number], row)),
      ...shownColumns.map((attribute) => {
        const text = (row[attribute.id] ?? []).map((value) => value.value).join(" · ");
        return h("td", { title: text, class: text ? "" : "muted" }, text || "–");
      }),
    );
  };
  return h(
    "li",
    { class: "wb-found", data: { list: list.id } },
    h(
      "div",
      { class: "wb-found-head" },
      h("b", { class: "figures" }, ngettext("%(count)s row", "%(count)s rows", found.length)),
      left > 0 && h("button", { type: "button", class: "button button-small push", title: gettext("Confirm the rows that are not marked yet"), on: { click: () => actions.acceptRows(list.id) } }, gettext("Accept %(left)s", { left }), h("kbd", {}, "↵")),
    ),
    h("div", { class: "wb-found-box" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}), ...shownColumns.map((attribute) => h("th", { data: { hue: attribute.hue } }, attribute.name)))), h("tbody", {}, ...found.map(line)))),
  );
}

/** The first cell of a found row: whether it is marked, and as it was found. @param {number} row 0 when it is not marked @param {number} number
 * @param {boolean} unlike */
function standing(row, number, unlike) {
  if (!row) return h("td", { class: "figures muted", title: gettext("proposed") }, String(number + 1));
  if (unlike) return h("td", { class: "wb-found-unlike", title: gettext("Row %(row)s is marked with other values than the rule finds. Check it.", { row }) }, "≠");
  return h("td", { class: "figures muted", title: gettext("marked as row %(row)s", { row }) }, "✓");
}

/** @param {string} look @param {string} title @param {boolean} current @param {() => void} run @param {...(Node | string)} inside */
function button(look, title, current, run, ...inside) {
  return h("button", { type: "button", class: look, title, "aria-current": current ? "true" : null, on: { click: (/** @type {Event} */ event) => { event.stopPropagation(); run(); } } }, ...inside);
}
