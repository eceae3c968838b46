// Where the workbench begins: at the page and attribute in its address, or at the first that are not done.

import { attributeOf, nextUnsaid, saidOn } from "./store.js";

/** @typedef {import("./store.js").Store} Store @typedef {import("../display/places.js").Place} Place */

/** The page to begin with: the wanted one, else the first sample that is not done. @param {Store} store @param {number} wanted */
export function firstPage(store, wanted) {
  const undone = store.samples.find((sample) => saidOn(store, sample.id) < store.attributes.length);
  return store.samples.find((sample) => sample.id === wanted)?.id ?? undone?.id ?? store.page;
}

/** The attribute to begin with: the wanted one, else the first without a mark. @param {Store} store @param {number} wanted */
export function firstAttribute(store, wanted) {
  const last = store.attributes.at(-1)?.id ?? 0;
  return attributeOf(store, wanted)?.id ?? nextUnsaid({ ...store, current: last }) ?? store.current;
}

/** The place in the workbench's own address; null where there is none. @param {string | null} text @returns {Place | null} */
export function placeIn(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null; // The address was cut short.
  }
}
