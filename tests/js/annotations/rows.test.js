// Lists: which row is said, found, open, next.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as rows from "../../../static/js/annotations/rows.js";
import { at, learned, made } from "./made.js";

const found = [1, 2, 3].map((n) => ({ 3: [at(n * 10, `Tea ${n}`)], 4: [at(n * 10 + 1, `£${n}`)] }));

/** A list of three found rows, of which those given are marked. */
function listed(...marked) {
  const store = made();
  for (const id of [3, 4]) store.drafts.set(id, learned(id, {}, { list: 7, rows: { 10: found } }));
  marked.forEach((values, number) => {
    for (const id of [3, 4]) (store.labels[id] ??= {})[`10/${number + 1}`] = values[id];
  });
  return store;
}

test("the columns of a list are its attributes", () => {
  assert.deepEqual(rows.columns(made(), 7).map(({ name }) => name), ["thing", "price"]);
});

test("a row is marked when anything is said in it, and done when everything is", () => {
  const store = made({ labels: { 3: { "10/2": [at(1, "Tea")], "20/1": null, "10/4": [] } } });
  assert.deepEqual(rows.markedRows(store, 7, 10), [2]);
  assert.deepEqual([1, 2].map((row) => rows.saidIn(store, 7, 10, row)), ["none", "some"]);
  store.labels[4] = { "10/2": null };
  assert.equal(rows.saidIn(store, 7, 10, 2), "all");
});

test("a found row is the marked one that has its values", () => {
  const store = listed(found[2]);
  assert.deepEqual(rows.matches(store, 7, 10), [0, 0, 1]);
  assert.equal(rows.foundFor(store, 7, 10, 1), found[2]);
  assert.equal(rows.foundFor(store, 7, 10, 2), found[0]);
  assert.equal(rows.foundFor(store, 7, 10, 3), found[1]);
  assert.equal(rows.foundFor(store, 7, 10, 4), undefined);
});

test("the next row is the first that is begun and not done, else a new one", () => {
  assert.equal(rows.nextRow(made(), 7, 10), 1);
  assert.equal(rows.nextRow(listed(found[0]), 7, 10), 2);
  assert.equal(rows.nextRow(listed(found[0], { 3: found[1][3], 4: [] }), 7, 10), 2);
});

test("accepting the rest numbers the rows after those that are marked", () => {
  const said = rows.acceptable(listed(found[0]), 7, 10);
  assert.deepEqual(said.map(({ attribute, row, values }) => [attribute, row, values[0].value]), [[3, 2, "Tea 2"], [4, 2, "£2"], [3, 3, "Tea 3"], [4, 3, "£3"]]);
});

test("a cell without a value is accepted as absent", () => {
  const store = made();
  store.drafts.set(3, learned(3, {}, { list: 7, rows: { 10: [{ 3: [at(1, "Tea")], 4: [] }] } }));
  assert.deepEqual(rows.acceptable(store, 7, 10).map(({ values }) => values), [[at(1, "Tea")], null]);
});

test("a found row that shares a place with a marked one is that row, and is not accepted a second time", () => {
  const store = listed({ 3: found[0][3], 4: found[1][4] });
  assert.deepEqual(rows.matches(store, 7, 10), [1, 0, 0]);
  assert.deepEqual(rows.acceptable(store, 7, 10).map(({ row, values }) => [row, values[0].value]), [[2, "Tea 2"], [2, "£2"], [3, "Tea 3"], [3, "£3"]]);
  assert.deepEqual(found.map((row, number) => rows.differs(store, 7, 10, rows.matches(store, 7, 10)[number], row)), [true, false, false]);
  assert.equal(rows.differs(listed(found[0]), 7, 10, 1, found[0]), false);
});

test("a row of which everything is missing is no row, and nothing is left to mark in it", () => {
  const store = listed(found[0]);
  for (const id of [3, 4]) store.labels[id]["10/2"] = null;
  assert.equal(rows.saidIn(store, 7, 10, 2), "refused");
  assert.equal(rows.nextRow(store, 7, 10), 3);
});
