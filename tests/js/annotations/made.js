// Stores for the tests: two attributes of the page, and a list of things with their prices.

import { createStore } from "../../../static/js/annotations/store.js";

const attribute = (id, name, more = {}) => ({ id, name, type: "text", multiple: false, mandatory: false, hotkey: "", hue: id % 8, list: null, ...more });

/** A value at a text of an element. */
export const at = (node, value) => ({ location: { node, kind: "text", text: 1 }, value });

/** A store with pages 10, 20 and 30, of which 10 is open. */
export function made(more = {}) {
  return createStore({
    samples: [10, 20, 30].map((id, number) => ({ id, title: `Page ${id}`, url: `https://shop.example/${id}`, covered: [0.6, 0.9, 1][number], frame: `/frame/${id}` })),
    attributes: [attribute(1, "title"), attribute(2, "authors", { multiple: true, hotkey: "u" }), attribute(3, "thing", { list: 7 }), attribute(4, "price", { list: 7 })],
    lists: [{ id: 7, name: "things" }],
    labels: {},
    steps: { undo: false, redo: false },
    rule: { draft: null, draft_version: null, live: null, live_version: null },
    ...more,
  });
}

/** A learned draft of an attribute. */
export const learned = (id, values, more = {}) => ({ attribute: id, state: "learned", values, coverage: null, ...more });
