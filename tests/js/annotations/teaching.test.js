// The order of the sample pages.

import assert from "node:assert/strict";
import { test } from "node:test";

import { mayArrange, reorder } from "../../../static/js/annotations/teaching.js";
import { at, made } from "./made.js";

const advice = (offers, pages = [], covered = {}) => ({ offers, pages, covered });

test("pages that are begun stay, and the others follow in the order in which they would teach most", () => {
  const store = made({ labels: { 1: { 20: [at(1, "x")] } } });
  reorder(store, advice([{ page: 30, reason: "differs", doubts: [] }]));
  assert.deepEqual(store.samples.map(({ id, reason }) => [id, reason]), [[10, ""], [20, ""], [30, "differs"]]);
});

test("a page that is no sample comes when it is offered and goes when it is not", () => {
  const store = made();
  const page = { id: 40, title: "", url: "", covered: null, frame: "" };
  reorder(store, advice([{ page: 40, reason: "differs", doubts: [] }], [page]));
  assert.deepEqual(store.samples.map(({ id }) => id), [10, 40, 20, 30]);
  reorder(store, advice([]));
  assert.deepEqual(store.samples.map(({ id }) => id), [10, 20, 30]);
});

test("the first advice after the workbench is opened again puts the pages in order, and none does while a page is marked", () => {
  const store = made({ labels: { 1: { 10: [at(1, "x")] } } });
  assert.equal(mayArrange(store, 0, true), true, "nothing was marked in this visit");
  assert.equal(mayArrange(store, 0, false), false, "the page is being marked");
  assert.equal(mayArrange(made(), 0, false), true, "nothing is marked on the page");
  assert.equal(mayArrange(made(), 10, false), false, "the pages were put in order for it");
});
