// What the workbench knows, and what follows from it. No page, no server: values in, values out.

import { keyOf, samePlace } from "../display/places.js";
import { columns, foundFor, placeOf, rowFor } from "./rows.js";

/**
 * @typedef {import("../display/places.js").Place} Place
 * @typedef {{location: Place, value: string}} Value
 * outdated: whether the page looks different now. covered: null for a page that is offered although it is not a sample. reason: why marking it would improve the rule.
 * @typedef {{id: number, title: string, url: string, covered: number | null, frame: string, apart?: string, reason?: string, outdated?: boolean}} Sample
 * @typedef {{id: number, name: string, type: string, multiple: boolean, mandatory: boolean, hotkey: string, hue: number, list: number | null}} Attribute
 * @typedef {{checked: number, total: number, hits: number, several: number, without: number[], complete: boolean}} Coverage
 * @typedef {{attribute: number, state: "empty" | "failed" | "learned" | "asking", message?: string, page?: number | null, places?: {page: number, location: Place, value: string}[], values?: Record<string, Value[]>, beside?: Record<string, Value[]>, unheard?: number[], coverage?: Coverage | null,
 *   agreement?: import("./pagedata.js").Agreement | null, list?: number, rows?: Record<string, import("./rows.js").Row[]>, failed?: Record<string, string>,
 *   readings?: Record<string, Record<string, import("./readings.js").Reading>>, unread?: import("./readings.js").Unread}} Draft
 * unheard: pages without a value in a language in which no value is marked yet. That the rule finds nothing there is no reason to confirm it.
 * unread: what could not be read of a page's embedded data, by page; "" if everything could.
 * labels: by attribute, then by page, or by "page/row" in a list. rows: which row of a list is open, by "list/page".
 * @typedef {{samples: Sample[], attributes: Attribute[], lists: {id: number, name: string}[], rows: Map<string, number>, labels: Record<string, Record<string, Value[] | null>>, drafts: Map<number, Draft>,
 *   suggestions: Map<number, Map<number, {words: string, values: Value[]}>>, unread: Map<number, string>, similar: Map<number, {page: number, values: Value[]}>, page: number, current: number, steps: {undo: boolean, redo: boolean},
 *   rule: {draft: string | null, draft_version: number | null, live: string | null, live_version: number | null}}} Store
 * confirmed, absent: a person said so. proposed: the draft rule finds values. none: it finds none. suggested: there is no rule
 * yet, or it finds nothing, but the page's own data has a value. unknown: nothing is known.
 * @typedef {{kind: "confirmed" | "absent" | "proposed" | "suggested" | "none" | "unknown", values: Value[], words?: string}} Standing
 */

/** @param {any} state @returns {Store} */
export function createStore(state) {
  return {
    ...state,
    attributes: withKeys(state.attributes),
    drafts: new Map(),
    rows: new Map(),
    similar: new Map(),
    suggestions: new Map(),
    unread: new Map(),
    page: state.samples[0]?.id ?? 0,
    current: state.attributes[0]?.id ?? 0,
  };
}

/** What is known about an attribute on a page. @param {Store} store @param {number} attribute @param {number} page @returns {Standing} */
export function standing(store, attribute, page) {
  const said = store.labels[attribute]?.[placeIn(store, attribute, page)];
  if (said === null) return { kind: "absent", values: [] };
  if (said?.length) return { kind: "confirmed", values: said };
  const draft = store.drafts.get(attribute);
  const values = draft?.state === "learned" ? (draft.list ? inRow(store, attribute, page) : draft.values?.[page]) : undefined;
  if (values?.length) return { kind: "proposed", values };
  const suggested = attributeOf(store, attribute)?.list ? undefined : store.suggestions.get(page)?.get(attribute);
  if (suggested) return { kind: "suggested", values: suggested.values, words: suggested.words };
  return { kind: values && !draft?.unheard?.includes(page) ? "none" : "unknown", values: [] };
}

/** Whether one key would confirm the values. @param {Standing} how */
export const isOffered = (how) => how.kind === "proposed" || how.kind === "suggested";

/** The key of an attribute's labels on a page; in a list, of its open row. @param {Store} store @param {number} id @param {number} page */
export function placeIn(store, id, page) {
  const attribute = attributeOf(store, id);
  return attribute ? placeOf(page, rowFor(store, attribute, page)) : String(page);
}

/** What the draft gives in the open row; undefined when it finds no such row. @param {Store} store @param {number} id @param {number} page @returns {Value[] | undefined} */
function inRow(store, id, page) {
  const attribute = attributeOf(store, id);
  if (!attribute?.list) return undefined;
  const row = foundFor(store, attribute.list, page, rowFor(store, attribute, page));
  return row && (row[id] ?? []);
}

/** Sets the values of an attribute on the open page, before the server knows. @param {Store} store @param {number} attribute @param {Value[] | null} values */
export function put(store, attribute, values) {
  (store.labels[attribute] ??= {})[placeIn(store, attribute, store.page)] = values;
}

/** Keeps a draft. That of a list counts for all of its attributes. @param {Store} store @param {Draft} draft */
export function keep(store, draft) {
  const all = draft.list ? columns(store, draft.list).map((attribute) => attribute.id) : [draft.attribute];
  for (const id of all) {
    const problem = draft.failed?.[id];
    store.drafts.set(id, { ...draft, attribute: id, ...(problem && { message: problem }) });
  }
}

/** @param {Standing} how */
export const isSaid = (how) => how.kind === "confirmed" || how.kind === "absent";

/** How many attributes a person has marked on a page, as a value or as absent. @param {Store} store @param {number} page */
export function saidOn(store, page) {
  return store.attributes.filter((attribute) => isSaid(standing(store, attribute.id, page))).length;
}

const ENOUGH = 0.995; // Of the template. Further pages show only what is rare.

/** How many samples to mark, from the first: until they cover enough of the template, and all that are begun. @param {Store} store */
export function needed(store) {
  const enough = store.samples.findIndex((sample) => (sample.covered ?? 0) >= ENOUGH) + 1 || store.samples.length;
  const begun = store.samples.findLastIndex((sample) => saidOn(store, sample.id) > 0) + 1;
  return Math.max(enough, begun);
}

const READABLE = 8; // Characters that are enough to tell a title; the column shows about twenty.

/** Titles without the words that most of them begin or end with, as long as what is left can be told apart. @param {string[]} titles */
export function apart(titles) {
  const rows = titles.map((title) => title.split(/\s+/).filter(Boolean));
  const from = sharedBy(rows);
  const upTo = sharedBy(rows.map((words) => words.toReversed()));
  return rows.map((words, number) => {
    let first = Math.min(from[number], Math.max(0, words.length - 1));
    let last = Math.max(first + 1, words.length - upTo[number]);
    // A number alone tells a person nothing, so put back the words around it, those before it first.
    while (words.slice(first, last).join(" ").length < READABLE && (first > 0 || last < words.length)) {
      if (first > 0) first -= 1;
      else last += 1;
    }
    const kept = words.slice(first, last).join(" ");
    return kept ? `${first ? "… " : ""}${kept}${last < words.length ? " …" : ""}` : titles[number];
  });
}

/** For each row, the number of its first words with which more than half of all rows begin. @param {string[][]} rows */
function sharedBy(rows) {
  /** @type {Map<string, number>} */ const counts = new Map();
  const beginning = (/** @type {string[]} */ words, /** @type {number} */ length) => words.slice(0, length).join(" ");
  for (const words of rows) for (let length = 1; length <= words.length; length += 1) counts.set(beginning(words, length), (counts.get(beginning(words, length)) ?? 0) + 1);
  return rows.map((words) => words.filter((_, at) => (counts.get(beginning(words, at + 1)) ?? 0) * 2 > rows.length && rows.length > 1).length);
}

/** @param {Store} store @param {number} id @returns {Attribute | undefined} */
export const attributeOf = (store, id) => store.attributes.find((attribute) => attribute.id === id);

/** The sample page that is shown. @param {Store} store */
export const pageOf = (store) => store.samples.find((sample) => sample.id === store.page);

/** @param {Store} store @returns {Attribute | undefined} */
export const currentOf = (store) => attributeOf(store, store.current);

/** The attributes, each with its key: its own, else its number, 0 for the tenth, unless that is another attribute's own. @param {Attribute[]} attributes @returns {Attribute[]} */
function withKeys(attributes) {
  const own = new Set(attributes.map(({ hotkey }) => hotkey));
  const free = (/** @type {string} */ key) => (own.has(key) ? "" : key);
  return attributes.map((attribute, number) => ({ ...attribute, hotkey: attribute.hotkey || (number < 10 ? free(String((number + 1) % 10)) : "") }));
}

/** The next attribute after the current one that has no mark on this page; null when all have one. @param {Store} store @returns {number | null} */
export function nextUnsaid(store) {
  const from = store.attributes.findIndex((attribute) => attribute.id === store.current);
  const order = [...store.attributes.slice(from + 1), ...store.attributes.slice(0, from + 1)];
  return order.find((attribute) => !isSaid(standing(store, attribute.id, store.page)))?.id ?? null;
}

/** The values after a click on a place: a single value is replaced, several are added and removed. A part takes the place of what is proposed.
 * @param {Attribute} attribute @param {Standing} how @param {Value} clicked @param {Value[]} hit values of the attribute under the pointer
 * @returns {Value[]} */
export function afterClick(attribute, how, clicked, hit) {
  if (!attribute.multiple) {
    // A click inside a larger value means the clicked part, such as the first line of a proposed heading.
    const meant = hit.filter((value) => value.value === clicked.value || samePlace(value.location, clicked.location));
    return how.kind === "confirmed" && meant.length ? [] : meant.length ? meant.slice(0, 1) : [clicked];
  }
  const part = hit.length > 0 && !hit.some((value) => value.value === clicked.value || samePlace(value.location, clicked.location));
  if (part && isOffered(how)) return [...without(how.values, hit), clicked]; // one link of a cell that was proposed whole
  if (hit.length) return without(how.values, hit);
  const same = how.values.some((value) => samePlace(value.location, clicked.location));
  return same ? without(how.values, [clicked]) : [...how.values, clicked];
}

/** @param {Value[]} values @param {Value[]} gone */
export function without(values, gone) {
  const keys = new Set(gone.map((value) => keyOf(value.location)));
  return values.filter((value) => !keys.has(keyOf(value.location)));
}

/** Values like those clicked, offered as long as something is confirmed on the page. @param {Store} store @returns {Value[]} */
export function offered(store) {
  const found = store.similar.get(store.current);
  return found && found.page === store.page && standing(store, store.current, store.page).kind === "confirmed" ? found.values : [];
}

/** Places beside the values of the current attribute that seem to be further values of it, unless similar ones are on offer.
 * @param {Store} store @returns {Value[]} */
export function beside(store) {
  const how = standing(store, store.current, store.page);
  if (!how.values.length || offered(store).length) return [];
  return without(store.drafts.get(store.current)?.beside?.[store.page] ?? [], how.values);
}

/** Whether several values were marked for an attribute on another sample. @param {Store} store @param {number} attribute */
export const hasSeveralElsewhere = (store, attribute) => store.samples.some(({ id }) => id !== store.page && (store.labels[attribute]?.[id]?.length ?? 0) > 1);

/** Whether the values of an attribute on the open page are still to come from its rule: it is marked elsewhere, and nothing is known here.
 * @param {Store} store @param {Attribute} attribute */
export function isAwaited(store, attribute) {
  const draft = store.drafts.get(attribute.id);
  const state = draft?.state ?? "asking";
  if (attribute.list || draft?.unheard?.includes(store.page) || (state !== "asking" && state !== "learned") || standing(store, attribute.id, store.page).kind !== "unknown") return false;
  return store.samples.some(({ id }) => standing(store, attribute.id, id).kind === "confirmed");
}

/** Applies the answer to a change. @param {Store} store @param {any} answer */
export function take(store, answer) {
  for (const [attribute, pages] of Object.entries(answer.labels ?? {})) store.labels[attribute] = pages;
  if (answer.steps) store.steps = answer.steps;
}

/** The attributes whose labels differ. @param {Store["labels"]} before @param {Store["labels"]} after @returns {number[]} */
export function changedBetween(before, after) {
  const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return ids.filter((id) => summary(before[id]) !== summary(after[id])).map(Number);
}

/** @param {Record<string, Value[] | null> | undefined} pages */
function summary(pages = {}) {
  const said = Object.entries(pages).filter(([, values]) => values === null || values.length);
  return JSON.stringify(said.map(([page, values]) => [page, values && values.map((value) => keyOf(value.location)).sort()]).sort());
}

/** The attributes whose draft has not been run on a page yet. @param {Store} store @param {number} page */
export const notLookedUp = (store, page) => [...store.drafts.values()].filter((draft) => draft.state === "learned" && !draft.values?.[page]).map((draft) => draft.attribute);

/** A share as a percentage that is 0 or 100 only when it is exactly that. @param {number} hits @param {number} total */
export function percent(hits, total) {
  if (!total) return "–";
  const share = (100 * hits) / total;
  if (share > 0 && share < 1) return "<1 %";
  return `${share > 99 && share < 100 ? Math.floor(share * 10) / 10 : Math.round(share)} %`;
}
