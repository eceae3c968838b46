// What comes out of the frame of an untrusted page is checked.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readMessage, readPlace } from "../../../static/js/display/messages.js";

const place = { node: 3, kind: "text", text: 1 };

test("a place of each kind is read, without what does not belong to it", () => {
  assert.deepEqual(readPlace({ ...place, extra: "x", attribute: "href" }), place);
  assert.deepEqual(readPlace({ node: 0, kind: "element", text: 4 }), { node: 0, kind: "element" });
  assert.deepEqual(readPlace({ node: 1, kind: "attribute", attribute: "href" }), { node: 1, kind: "attribute", attribute: "href" });
  assert.deepEqual(readPlace({ ...place, start: 0, end: 2 }), { ...place, start: 0, end: 2 });
});

for (const bad of [null, 7, "x", {}, { node: -1, kind: "element" }, { node: 1.5, kind: "element" }, { node: "1", kind: "element" }, { node: 1, kind: "script" }, { node: 1, kind: "text" },
  { node: 1, kind: "text", text: 0 }, { node: 1, kind: "attribute" }, { node: 1, kind: "attribute", attribute: "" }, { ...place, start: 2, end: 2 }, { ...place, start: 1 }]) {
  test(`no place: ${JSON.stringify(bad)}`, () => assert.equal(readPlace(bad), null));
}

test("messages of known forms are read", () => {
  assert.deepEqual(readMessage({ type: "ready", more: 1 }), { type: "ready" });
  assert.deepEqual(readMessage({ type: "click", location: place, value: 7, marks: [1, "a"] }), { type: "click", location: place, value: "", marks: ["1", "a"] });
  assert.deepEqual(readMessage({ type: "hover", location: null }), { type: "hover", location: null, value: "" });
  assert.deepEqual(readMessage({ type: "key", key: "x", ctrl: 1 }), { type: "key", key: "x", ctrl: true, shift: false, alt: false });
  assert.deepEqual(readMessage({ type: "scroll", by: -3 }), { type: "scroll", by: -3 });
});

for (const bad of [null, "ready", {}, { type: "load" }, { type: "click" }, { type: "part", location: {} }, { type: "key" }, { type: "scroll", by: Infinity }, { type: "scroll", by: "3" }]) {
  test(`no message: ${JSON.stringify(bad)}`, () => assert.equal(readMessage(bad), null));
}

test("a long value is cut", () => assert.equal(readMessage({ type: "hover", location: place, value: "x".repeat(50_000) }).value.length, 20_000));
