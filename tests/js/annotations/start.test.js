// Where the workbench begins.

import assert from "node:assert/strict";
import { test } from "node:test";

import { firstAttribute, firstPage, placeIn } from "../../../static/js/annotations/start.js";
import { at, made } from "./made.js";

test("the page of the address comes first, else the first that is not done", () => {
  const store = made({ attributes: made().attributes.slice(0, 1), labels: { 1: { 10: [at(1, "x")] } } });
  assert.deepEqual([firstPage(store, 30), firstPage(store, 99)], [30, 20]);
});

test("the attribute of the address comes first, else the first with nothing said", () => {
  const store = made({ labels: { 1: { 10: null } } });
  assert.deepEqual([firstAttribute(store, 4), firstAttribute(store, 99)], [4, 2]);
});

test("a place that was cut short is no place", () => {
  assert.deepEqual([placeIn(null), placeIn('{"node": 1'), placeIn('{"node":1,"kind":"element"}')], [null, null, { node: 1, kind: "element" }]);
});
