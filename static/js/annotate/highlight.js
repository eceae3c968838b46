// Which outlines the page carries: what is marked, proposed, offered.

import { isSaid, keyFor, offered, standing } from "./store.js";

/** @typedef {import("./messages.js").Mark} Mark */

/** The outlines of the page that is shown; `id` is "attribute:number of its value", or "similar:number".
 * @param {import("./store.js").Store} store @returns {Mark[]} */
export function marksOf(store) {
  const marks = store.attributes.flatMap((attribute) => {
    const how = standing(store, attribute.id, store.page);
    return how.values.map((value, number) => mark(`${attribute.id}:${number}`, value.location, attribute, isSaid(how) ? "solid" : "dashed", store));
  });
  const current = store.attributes.find((attribute) => attribute.id === store.current);
  if (current) marks.push(...offered(store).map((value, number) => mark(`similar:${number}`, value.location, current, "dotted", store)));
  return marks;
}

/** The values of the current attribute among marks that were hit. @param {import("./store.js").Store} store @param {string[]} ids */
export function hitValues(store, ids) {
  const values = standing(store, store.current, store.page).values;
  return ids
    .map((id) => id.split(":"))
    .filter(([attribute]) => Number(attribute) === store.current)
    .map(([, number]) => values[Number(number)])
    .filter(Boolean);
}

/** @param {string} id @param {import("./messages.js").Place} location @param {import("./store.js").Attribute} attribute @param {Mark["look"]} look
 * @param {import("./store.js").Store} store @returns {Mark} */
function mark(id, location, attribute, look, store) {
  return { id, location, hue: attribute.hue, look, name: attribute.name, key: keyFor(attribute, store.attributes.indexOf(attribute)), current: attribute.id === store.current };
}
