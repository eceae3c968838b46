// Where the workbench begins: the page and the attribute of its address, or those with something left to say.

import { attributeOf, nextUnsaid, saidOn } from "./store.js";

/** @typedef {import("./store.js").Store} Store @typedef {import("../display/places.js").Place} Place */

/** The page to begin with: the wanted one, else the first sample that is not done. @param {Store} store @param {number} wanted */
export function firstPage(store, wanted) {
  const undone = store.samples.find((sample) => saidOn(store, sample.id) < store.attributes.length);
  return store.samples.find((sample) => sample.id === wanted)?.id ?? undone?.id ?? store.page;
}

/** The attribute to begin with: the wanted one, else the first that nothing is said of. @param {Store} store @param {number} wanted */
export function firstAttribute(store, wanted) {
  const last = store.attributes.at(-1)?.id ?? 0;
  return attributeOf(store, wanted)?.id ?? nextUnsaid({ ...store, current: last }) ?? store.current;
}

/** The place in the workbench's own address; null where there is none. @param {string | null} text @returns {Place | null} */
export function placeIn(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null; // Somebody cut the address short.
  }
}
