// The text of a page as the server sees it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { clean, partOf, spansOf } from "../../../static/js/display/frame/text.js";

test("white space is one space, and none at either end", () => {
  assert.equal(clean(" \n The\u00a0 great\t\u3000book "), "The great book");
  assert.equal(clean("zero\u200bwidth"), "zero\u200bwidth", "Python's \\s does not match it");
});

test("each character of the cleaned text knows where it stands in the raw one", () => {
  for (const raw of ["", "   ", "a", "  a  b\n", "😀 x", "a\u00a0\u00a0b"]) {
    const spans = spansOf(raw);
    assert.equal(spans.map(({ from, to }) => clean(raw.slice(from, to)) || " ").join(""), clean(raw), JSON.stringify(raw));
  }
});

test("a part counts characters as Python does, and leaves out spaces at its ends", () => {
  const raw = "  Price: 😀9.95  EUR ";
  const from = raw.indexOf("😀");
  assert.deepEqual(partOf(raw, from, from + 8), { start: 7, end: 12, whole: false });
  assert.deepEqual([..."Price: 😀9.95 EUR"].slice(7, 12).join(""), "😀9.95");
  assert.deepEqual(partOf(raw, 0, raw.length), { start: 0, end: 16, whole: true });
});

test("nothing but white space is no part", () => {
  assert.equal(partOf("a   b", 1, 3), null);
  assert.equal(partOf("   ", 0, 3), null);
});
