import assert from "node:assert/strict";
import { test } from "node:test";

import { keyOf, samePlace } from "../../../static/js/display/places.js";

test("two places are the same when every part of them is", () => {
  const place = { node: 3, kind: "text", text: 1 };
  assert.ok(samePlace(place, { ...place, start: undefined, end: undefined }));
  for (const other of [{ node: 4 }, { kind: "element" }, { text: 2 }, { start: 0, end: 1 }]) assert.ok(!samePlace(place, { ...place, ...other }), JSON.stringify(other));
  assert.notEqual(keyOf({ node: 1, kind: "attribute", attribute: "src" }), keyOf({ node: 1, kind: "attribute", attribute: "href" }));
});
