// What keys mean.

import assert from "node:assert/strict";
import { test } from "node:test";

import { commandOf } from "../../../static/js/annotations/commands.js";
import { made } from "./made.js";

const press = (key, more = {}) => commandOf({ key, ctrl: false, shift: false, alt: false, ...more }, made());

test("an attribute's own key comes before its number and before a command", () => {
  assert.deepEqual([press("1"), press("u"), press("2")], ["attribute:1", "attribute:2", null]);
  const store = made();
  store.attributes[0].hotkey = "x";
  assert.equal(commandOf({ key: "x", ctrl: false, shift: false, alt: false }, store), "attribute:1");
  assert.equal(commandOf({ key: "x", ctrl: false, shift: false, alt: true }, store), "absent");
});

test("every key of the list of keys is a command", () => {
  const keys = { Enter: "confirm", x: "absent", Backspace: "clear", "[": "previousPage", "]": "nextPage", j: "next", k: "previous", J: "nextFar", K: "previousFar" };
  Object.assign(keys, { ArrowUp: "wider", ArrowDown: "narrower", a: "another", "/": "search", t: "tree", s: "styles", o: "overlays", d: "dimmed" });
  Object.assign(keys, { r: "nextRow", n: "nextAttribute", p: "previousAttribute", "?": "keys", Escape: "escape" });
  for (const [key, command] of Object.entries(keys)) assert.equal(press(key), command, key);
});

test("undo and redo are as everywhere, and other keys with Ctrl are the browser's", () => {
  assert.deepEqual([press("z", { ctrl: true }), press("Z", { ctrl: true, shift: true }), press("y", { ctrl: true }), press("a", { ctrl: true })], ["undo", "redo", "redo", null]);
});

test("Shift and Enter confirms everything on the page", () => assert.equal(press("Enter", { shift: true }), "confirmAll"));
