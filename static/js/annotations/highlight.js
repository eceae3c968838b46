// The outlines on the page: values that are marked, proposed or offered.

import { columns, foundFor, foundRows, markedRows, matches, placeOf, rowOn } from "./rows.js";
import { beside, isSaid, offered, standing } from "./store.js";

/** @typedef {import("../display/messages.js").Mark} Mark */

/** The outlines of the open page; `id` is "attribute:number of its value", "similar:number" or "beside:number".
 * @param {import("./store.js").Store} store @returns {Mark[]} */
export function marksOf(store) {
  const marks = store.attributes.flatMap((attribute) => {
    const how = standing(store, attribute.id, store.page);
    return how.values.map((value, number) => mark(`${attribute.id}:${number}`, value.location, attribute, isSaid(how) ? "solid" : "dashed", store));
  });
  marks.push(...store.lists.flatMap((list) => otherRows(store, list.id)));
  const current = store.attributes.find((attribute) => attribute.id === store.current);
  if (current) marks.push(...offered(store).map((value, number) => mark(`similar:${number}`, value.location, current, "dotted", store)));
  if (current) marks.push(...beside(store).map((value, number) => mark(`beside:${number}`, value.location, current, "dotted", store)));
  return marks;
}

/** Outlines of the rows of a list that are not open: solid if marked, dashed if found. @param {import("./store.js").Store} store @param {number} list
 * @returns {Mark[]} */
function otherRows(store, list) {
  const { page } = store;
  const open = rowOn(store, list, page);
  const which = matches(store, list, page);
  const shown = foundFor(store, list, page, open);
  const found = foundRows(store, list, page).map((row, number) => ({ row, marked: which[number] })).filter(({ row, marked }) => row !== shown && !marked);
  return columns(store, list).flatMap((attribute) => [
    ...markedRows(store, list, page).filter((row) => row !== open).flatMap((row) => (store.labels[attribute.id]?.[placeOf(page, row)] ?? []).map((value, number) => mark(`row:${attribute.id}:${row}:${number}`, value.location, attribute, "solid", store))),
    ...found.flatMap(({ row }, at) => (row[attribute.id] ?? []).map((value, number) => mark(`found:${attribute.id}:${at}:${number}`, value.location, attribute, "dashed", store))),
  ]);
}

/** The values of the current attribute among the marks under the pointer. @param {import("./store.js").Store} store @param {string[]} ids */
export function hitValues(store, ids) {
  const values = standing(store, store.current, store.page).values;
  return ids
    .map((id) => id.split(":"))
    .filter(([attribute]) => Number(attribute) === store.current)
    .map(([, number]) => values[Number(number)])
    .filter(Boolean);
}

/** @param {string} id @param {import("../display/places.js").Place} location @param {import("./store.js").Attribute} attribute @param {Mark["look"]} look
 * @param {import("./store.js").Store} store @returns {Mark} */
function mark(id, location, attribute, look, store) {
  return { id, location, hue: attribute.hue, look, name: attribute.name, key: attribute.hotkey, current: attribute.id === store.current };
}
