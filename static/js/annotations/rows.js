// The rows of lists: which are marked, which the draft rule finds, and which marked row a found one is. Values in, values out.
//
// A label in a row is kept under "page/row", and one of the page's own attributes under "page". One row of each list is
// open on a page: marks go there, and the panel shows its values.

import { samePlace } from "../display/places.js";

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").Attribute} Attribute
 * @typedef {import("./store.js").Value} Value
 * @typedef {Record<string, Value[]>} Row values by attribute
 */

const MOST_ACCEPTED = 50; // The most rows confirmed at once. More do not improve a rule.

/** The attributes of a list's rows. @param {Store} store @param {number} list */
export const columns = (store, list) => store.attributes.filter((attribute) => attribute.list === list);

/** The row that is open on a page, from 1. @param {Store} store @param {number} list @param {number} page */
export const rowOn = (store, list, page) => store.rows.get(`${list}/${page}`) ?? 1;

/** @param {Store} store @param {number} list @param {number} page @param {number} row */
export const openRow = (store, list, page, row) => void store.rows.set(`${list}/${page}`, row);

/** The row that a change of an attribute belongs to; 0 for the page's own attributes. @param {Store} store @param {Attribute} attribute @param {number} page */
export const rowFor = (store, attribute, page) => (attribute.list ? rowOn(store, attribute.list, page) : 0);

/** The key of labels on a page or in one of its rows. @param {number} page @param {number} row */
export const placeOf = (page, row) => (row ? `${page}/${row}` : String(page));

/** What a person marked in a row. @param {Store} store @param {Attribute} attribute @param {number} page @param {number} row
 * @returns {Value[] | null | undefined} */
const saidAt = (store, attribute, page, row) => store.labels[attribute.id]?.[placeOf(page, row)];

/** The rows of a page that have marks, in order. @param {Store} store @param {number} list @param {number} page @returns {number[]} */
export function markedRows(store, list, page) {
  const rows = new Set();
  for (const attribute of columns(store, list)) {
    for (const [place, values] of Object.entries(store.labels[attribute.id] ?? {})) {
      const [on, row] = place.split("/").map(Number);
      if (on === page && (values === null || values.length)) rows.add(row);
    }
  }
  return [...rows].sort((a, b) => a - b);
}

/** How much of a row is marked; "refused" if all of it is said to be missing, so that it is no row. @param {Store} store @param {number} list
 * @param {number} page @param {number} row @returns {"all" | "some" | "none" | "refused"} */
export function saidIn(store, list, page, row) {
  const all = columns(store, list).map((attribute) => saidAt(store, attribute, page, row));
  const said = all.filter((values) => values === null || values?.length).length;
  if (all.length && all.every((values) => values === null)) return "refused";
  return said === all.length ? "all" : said ? "some" : "none";
}

/** The rows that the draft rule gives on a page. @param {Store} store @param {number} list @param {number} page @returns {Row[]} */
export function foundRows(store, list, page) {
  const draft = store.drafts.get(columns(store, list)[0]?.id ?? 0);
  return draft?.state === "learned" ? (draft.rows?.[page] ?? []) : [];
}

/** For each found row, the number of the marked row that it is; 0 when it is not marked. A row that shares a place with a marked one is that
 * row, even if they differ: accepting it as a new row would mark the same values twice. @param {Store} store @param {number} list
 * @param {number} page @returns {number[]} */
export function matches(store, list, page) {
  const left = new Set(markedRows(store, list, page));
  const found = foundRows(store, list, page);
  const take = (/** @type {(row: number) => boolean} */ is) => {
    const mine = [...left].find(is);
    if (mine !== undefined) left.delete(mine);
    return mine ?? 0;
  };
  const exact = found.map((each) => take((row) => isRow(store, list, page, row, each)));
  return exact.map((mine, number) => mine || take((row) => shares(store, list, page, row, found[number])));
}

/** Whether a found row is otherwise than it was marked. @param {Store} store @param {number} list @param {number} page @param {number} row
 * as marked @param {Row} found */
export const differs = (store, list, page, row, found) => row > 0 && !isRow(store, list, page, row, found);

/** @param {Store} store @param {number} list @param {number} page @param {number} row @param {Row} found */
function isRow(store, list, page, row, found) {
  const marked = pairs(store, list, page, row, found).filter(([values]) => values.length);
  return marked.length > 0 && marked.every(([values, given]) => values.every((value) => given.some((each) => each.value === value.value)));
}

/** @param {Store} store @param {number} list @param {number} page @param {number} row @param {Row} found */
function shares(store, list, page, row, found) {
  return pairs(store, list, page, row, found).some(([values, given]) => values.some((value) => given.some((each) => samePlace(each.location, value.location))));
}

/** What was marked in a row and what was found, for each attribute. @param {Store} store @param {number} list @param {number} page
 * @param {number} row @param {Row} found */
function pairs(store, list, page, row, found) {
  return columns(store, list).map((attribute) => [saidAt(store, attribute, page, row) ?? [], found[attribute.id] ?? []]);
}

/** The found row for a row number: the one marked with that number, or the next one that is not marked. @param {Store} store @param {number} list
 * @param {number} page @param {number} row @returns {Row | undefined} */
export function foundFor(store, list, page, row) {
  const found = foundRows(store, list, page);
  const which = matches(store, list, page);
  const marked = markedRows(store, list, page);
  if (marked.includes(row)) return found[which.indexOf(row)];
  const free = found.filter((_, number) => !which[number]);
  return free[row - 1 - marked.filter((each) => each < row).length];
}

/** Whether nothing is left to mark in a row. @param {ReturnType<typeof saidIn>} said */
export const isDone = (said) => said === "all" || said === "refused";

/** The next row to mark: the first one that is only partly marked, else a new one. @param {Store} store @param {number} list @param {number} page */
export function nextRow(store, list, page) {
  const marked = markedRows(store, list, page);
  return marked.find((row) => !isDone(saidIn(store, list, page, row))) ?? (marked.at(-1) ?? 0) + 1;
}

/** The labels that come from accepting all found rows that are not marked. @param {Store} store @param {number} list @param {number} page
 * @returns {{attribute: number, row: number, values: Value[] | null}[]} */
export function acceptable(store, list, page) {
  const which = matches(store, list, page);
  const free = foundRows(store, list, page).filter((_, number) => !which[number]).slice(0, MOST_ACCEPTED);
  const from = (markedRows(store, list, page).at(-1) ?? 0) + 1;
  return free.flatMap((row, number) =>
    columns(store, list).map((attribute) => ({ attribute: attribute.id, row: from + number, values: row[attribute.id]?.length ? row[attribute.id] : null })),
  );
}
