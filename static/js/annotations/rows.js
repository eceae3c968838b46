// Lists: of which row of a list something is said, and which of the rows that its draft rule gives that is. Values in, values out.
//
// What is said in a row is a label at the place "page/row"; of the page's own attributes at "page". One row of each list is
// open on a page: marks go there, and what is shown of the list's attributes is of it.

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").Attribute} Attribute
 * @typedef {import("./store.js").Value} Value
 * @typedef {Record<string, Value[]>} Row values by attribute
 */

const MOST_ACCEPTED = 50; // Rows confirmed at once: far more than a rule is surer by.

/** The attributes of a list's rows. @param {Store} store @param {number} list */
export const columns = (store, list) => store.attributes.filter((attribute) => attribute.list === list);

/** The row that is open on a page, from 1. @param {Store} store @param {number} list @param {number} page */
export const rowOn = (store, list, page) => store.rows.get(`${list}/${page}`) ?? 1;

/** @param {Store} store @param {number} list @param {number} page @param {number} row */
export const openRow = (store, list, page, row) => void store.rows.set(`${list}/${page}`, row);

/** Which row a change of an attribute is of; 0 for the page's own. @param {Store} store @param {Attribute} attribute @param {number} page */
export const rowFor = (store, attribute, page) => (attribute.list ? rowOn(store, attribute.list, page) : 0);

/** Where labels of an attribute stand. @param {number} page @param {number} row */
export const placeOf = (page, row) => (row ? `${page}/${row}` : String(page));

/** What a person said in a row. @param {Store} store @param {Attribute} attribute @param {number} page @param {number} row @returns {Value[] | null | undefined} */
const saidAt = (store, attribute, page, row) => store.labels[attribute.id]?.[placeOf(page, row)];

/** Rows of a page in which something is said, in order. @param {Store} store @param {number} list @param {number} page @returns {number[]} */
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

/** How much of a row is said. @param {Store} store @param {number} list @param {number} page @param {number} row @returns {"all" | "some" | "none"} */
export function saidIn(store, list, page, row) {
  const all = columns(store, list).map((attribute) => saidAt(store, attribute, page, row));
  const said = all.filter((values) => values === null || values?.length).length;
  return said === all.length ? "all" : said ? "some" : "none";
}

/** The rows that the draft rule gives on a page. @param {Store} store @param {number} list @param {number} page @returns {Row[]} */
export function foundRows(store, list, page) {
  const draft = store.drafts.get(columns(store, list)[0]?.id ?? 0);
  return draft?.state === "learned" ? (draft.rows?.[page] ?? []) : [];
}

/** Which marked row each found row is, 0 for one that is not marked. @param {Store} store @param {number} list @param {number} page @returns {number[]} */
export function matches(store, list, page) {
  const left = new Set(markedRows(store, list, page));
  return foundRows(store, list, page).map((found) => {
    const mine = [...left].find((row) => isRow(store, list, page, row, found));
    if (mine !== undefined) left.delete(mine);
    return mine ?? 0;
  });
}

/** @param {Store} store @param {number} list @param {number} page @param {number} row @param {Row} found */
function isRow(store, list, page, row, found) {
  const said = columns(store, list).map((attribute) => [saidAt(store, attribute, page, row) ?? [], found[attribute.id] ?? []]);
  const marked = said.filter(([values]) => values.length);
  return marked.length > 0 && marked.every(([values, given]) => values.every((value) => given.some((each) => each.value === value.value)));
}

/** The found row that a row's number stands for: the one marked as it, or one of those not marked yet. @param {Store} store @param {number} list @param {number} page @param {number} row @returns {Row | undefined} */
export function foundFor(store, list, page, row) {
  const found = foundRows(store, list, page);
  const which = matches(store, list, page);
  const marked = markedRows(store, list, page);
  if (marked.includes(row)) return found[which.indexOf(row)];
  const free = found.filter((_, number) => !which[number]);
  return free[row - 1 - marked.filter((each) => each < row).length];
}

/** The next row to mark: the first that is begun and not done, else the one after the last. @param {Store} store @param {number} list @param {number} page */
export function nextRow(store, list, page) {
  const marked = markedRows(store, list, page);
  return marked.find((row) => saidIn(store, list, page, row) !== "all") ?? (marked.at(-1) ?? 0) + 1;
}

/** What accepting all found rows that are not marked says. @param {Store} store @param {number} list @param {number} page
 * @returns {{attribute: number, row: number, values: Value[] | null}[]} */
export function acceptable(store, list, page) {
  const which = matches(store, list, page);
  const free = foundRows(store, list, page).filter((_, number) => !which[number]).slice(0, MOST_ACCEPTED);
  const from = (markedRows(store, list, page).at(-1) ?? 0) + 1;
  return free.flatMap((row, number) =>
    columns(store, list).map((attribute) => ({ attribute: attribute.id, row: from + number, values: row[attribute.id]?.length ? row[attribute.id] : null })),
  );
}
