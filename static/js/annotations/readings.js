// How values of a typed attribute are read: the normalised value beside the raw one, and the values that could not be read.

import { h, icon } from "../core/dom.js";
import { gettext } from "../core/words.js";

/**
 * @typedef {import("./store.js").Store} Store @typedef {import("./store.js").Attribute} Attribute
 * value: the normalised value, null where there is none. problem: why.
 * @typedef {{value: string | null, problem: string}} Reading
 * @typedef {{page: number, location: import("./store.js").Place, value: string, problem: string}} UnreadValue
 * @typedef {{checked: number, count: number, values: UnreadValue[]}} Unread
 */

const NAMES = /** @type {Record<string, string>} */ ({ number: gettext("a number"), price: gettext("a price"), date: gettext("a date"), boolean: gettext("yes or no") });

/** The reading of a value on the page shown, below it; null where it is not known or the same. @param {Store} store @param {Attribute} attribute @param {string} text */
export function drawReading(store, attribute, text) {
  const found = store.drafts.get(attribute.id)?.readings?.[store.page]?.[text];
  if (!found) return null;
  if (found.value === null) return h("div", { class: "wb-reading wb-unread small", title: found.problem }, icon("warn"), h("span", {}, gettext("Not read: %(problem)s", { problem: found.problem })));
  if (found.value === text) return null;
  return h("div", { class: "wb-reading muted small", title: gettext("Read as %(type)s", { type: NAMES[attribute.type] }) }, h("span", { "aria-hidden": "true" }, "→"), h("span", { class: "figures" }, found.value));
}

/** How many values could not be read, as a button that lists them; null where all were. @param {Store} store @param {Attribute} attribute @param {(attribute: number) => void} open */
export function drawUnread(store, attribute, open) {
  const found = store.drafts.get(attribute.id)?.unread;
  if (!found?.count) return null;
  const text = sayUnread(attribute, found);
  return h("p", { class: "wb-source small" }, h("button", { type: "button", class: "button-link wb-unread-button", title: gettext("Click to see these values."), on: { click: (/** @type {Event} */ event) => { event.stopPropagation(); open(attribute.id); } } }, text));
}

/** One value that could not be read, as a link that opens its page and shows it there. @param {Attribute} attribute @param {UnreadValue} each */
export function drawUnreadLine(attribute, each) {
  const address = `?${new URLSearchParams({ page: String(each.page), attribute: String(attribute.id), show: JSON.stringify(each.location) })}`;
  return h("li", {}, h("a", { href: address, class: "truncate", title: gettext("Open it here") }, each.value || gettext("(empty)")), h("div", { class: "muted small" }, each.problem));
}

/** The title of the dialog. @param {Attribute} attribute @param {Unread} found */
export function nameUnread(attribute, found) {
  return `${attribute.name}: ${sayUnread(attribute, found)}`;
}

/** @param {Attribute} attribute @param {Unread} found */
function sayUnread(attribute, found) {
  return gettext("%(count)s of %(checked)s values could not be read as %(type)s", { count: found.count, checked: found.checked, type: NAMES[attribute.type] });
}
