// Wider, narrower, another: where the arrow keys go from a place.

import assert from "node:assert/strict";
import { test } from "node:test";

import { another, narrower, wider } from "../../../static/js/annotations/trail.js";

const text = { node: 5, kind: "text", text: 1 };
const whole = { node: 5, kind: "element" };
const option = (location) => ({ location, label: "", value: "" });
const described = (location, more = {}) => ({ location, value: "", child: null, path: [{ node: 1, label: "body" }, { node: 5, label: "p" }], options: [option(text), option(whole)], ...more });

test("wider goes from a part to its text, to the element, to the one around it", () => {
  assert.deepEqual(wider(described({ ...text, start: 1, end: 3 })), { ...text, start: undefined, end: undefined });
  assert.deepEqual(wider(described(text)), whole);
  assert.deepEqual(wider(described(whole)), { node: 1, kind: "element" });
  assert.equal(wider(described({ node: 1, kind: "element" }, { path: [{ node: 1, label: "body" }] })), null);
});

test("narrower goes from an element into its text, else into its first child", () => {
  assert.deepEqual(narrower(described(whole)), text);
  assert.deepEqual(narrower(described(whole, { options: [], child: 6 })), { node: 6, kind: "element" });
  assert.equal(narrower(described(text)), null);
});

test("another goes round all that can be taken at an element", () => {
  assert.deepEqual(another(described(text)), whole);
  assert.deepEqual(another(described(whole)), text);
  assert.equal(another(described(text, { options: [] })), null);
});
