// What the workbench knows, and what follows from it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { nextEnter } from "../../../static/js/annotations/status.js";
import * as stores from "../../../static/js/annotations/store.js";
import { at, learned, made } from "./made.js";

test("what a person said comes before what a draft gives, and that before what the page says of itself", () => {
  const store = made();
  assert.equal(stores.standing(store, 1, 10).kind, "unknown");
  store.suggestions.set(10, new Map([[1, { words: "JSON-LD name", values: [at(3, "Tea")] }]]));
  assert.deepEqual(stores.standing(store, 1, 10), { kind: "suggested", values: [at(3, "Tea")], words: "JSON-LD name" });
  store.drafts.set(1, learned(1, { 10: [at(4, "Green tea")] }));
  assert.deepEqual(stores.standing(store, 1, 10), { kind: "proposed", values: [at(4, "Green tea")] });
  stores.put(store, 1, [at(5, "Black tea")]);
  assert.deepEqual(stores.standing(store, 1, 10), { kind: "confirmed", values: [at(5, "Black tea")] });
  stores.put(store, 1, null);
  assert.deepEqual(stores.standing(store, 1, 10), { kind: "absent", values: [] });
});

test("a draft that finds nothing is told apart from no draft", () => {
  const store = made();
  store.drafts.set(1, learned(1, { 10: [] }));
  assert.equal(stores.standing(store, 1, 10).kind, "none");
  assert.equal(stores.standing(store, 1, 20).kind, "unknown");
});

test("what is said in a list belongs to the open row", () => {
  const store = made();
  store.rows.set("7/10", 2);
  stores.put(store, 3, [at(9, "Pot")]);
  assert.deepEqual(store.labels, { 3: { "10/2": [at(9, "Pot")] } });
});

test("a draft of a list is kept for all of its attributes, with each one's own problem", () => {
  const store = made();
  stores.keep(store, { attribute: 3, state: "failed", message: "thing: no", list: 7, failed: { 4: "price: no" } });
  assert.deepEqual([store.drafts.get(3).message, store.drafts.get(4).message, store.drafts.get(4).attribute], ["thing: no", "price: no", 4]);
});

test("the next attribute is the first one after the current with nothing said, around the end", () => {
  const store = made({ labels: { 2: { 10: null }, 3: { "10/1": [at(1, "x")] }, 4: { "10/1": [at(2, "y")] } } });
  store.current = 2;
  assert.equal(stores.nextUnsaid(store), 1);
  store.labels[1] = { 10: null };
  assert.equal(stores.nextUnsaid(store), null);
});

test("samples are wanted until they cover enough of the template, and those begun", () => {
  const store = made();
  assert.equal(stores.needed(store), 3);
  store.samples[1].covered = 0.996;
  assert.equal(stores.needed(store), 2);
  store.labels[1] = { 30: null };
  assert.equal(stores.needed(store), 3);
});

test("a click on a single value replaces it, and takes it out when it was confirmed", () => {
  const [title] = made().attributes;
  const clicked = at(5, "Tea");
  const click = (kind, hit) => stores.afterClick(title, { kind, values: hit }, clicked, hit);
  assert.deepEqual(click("unknown", []), [clicked]);
  assert.deepEqual(click("proposed", [clicked]), [clicked]);
  assert.deepEqual(click("confirmed", [clicked]), []);
  assert.deepEqual(click("proposed", [{ location: { node: 2, kind: "element" }, value: "Tea and more" }]), [clicked], "a part of what was proposed");
});

test("a click on one of several values adds it or takes it out", () => {
  const authors = made().attributes[1];
  const values = [at(5, "Austen"), at(6, "Brontë")];
  const click = (clicked, hit = []) => stores.afterClick(authors, { kind: "confirmed", values }, clicked, hit);
  assert.deepEqual(click(at(7, "Dumas")), [...values, at(7, "Dumas")]);
  assert.deepEqual(click(at(6, "Brontë"), [values[1]]), [values[0]]);
  assert.deepEqual(click(at(6, "Brontë")), [values[0]], "the same place, with no outline under the pointer");
});

test("similar values are offered on their page while something is confirmed there", () => {
  const store = made();
  store.current = 2;
  store.similar.set(2, { page: 10, values: [at(8, "Gamma")] });
  assert.deepEqual(stores.offered(store), []);
  stores.put(store, 2, [at(7, "Alpha")]);
  assert.deepEqual(stores.offered(store), [at(8, "Gamma")]);
  store.page = 20;
  assert.deepEqual(stores.offered(store), []);
});

test("values beside a proposed one are offered until they are taken, and not beside similar ones", () => {
  const store = made();
  store.current = 2;
  store.drafts.set(2, { attribute: 2, state: "learned", values: { 10: [at(5, "Alpha")] }, beside: { 10: [at(6, "Beta"), at(7, "Gamma")] } });
  assert.deepEqual(stores.beside(store), [at(6, "Beta"), at(7, "Gamma")]);
  stores.put(store, 2, [at(5, "Alpha"), at(6, "Beta")]);
  assert.deepEqual(stores.beside(store), [at(7, "Gamma")]);
  store.similar.set(2, { page: 10, values: [at(8, "Delta")] });
  assert.deepEqual(stores.beside(store), []);
  store.similar.clear();
  stores.put(store, 2, null);
  assert.deepEqual(stores.beside(store), [], "a value that is not on the page has none beside it");
});

test("the line below a finished page says what Enter does there", () => {
  const store = made();
  store.current = 2;
  stores.put(store, 2, [at(7, "Alpha"), at(8, "Beta")]);
  assert.equal(nextEnter(store), "Enter opens the next one.");
  store.similar.set(2, { page: 10, values: [at(9, "Gamma")] });
  assert.equal(nextEnter(store), "Enter adds 1 similar value.");
  store.current = 3;
  store.drafts.set(3, { attribute: 3, list: 7, state: "learned", rows: { 10: [{ 3: [at(9, "Pot")] }, { 3: [at(11, "Pan")] }] } });
  assert.equal(nextEnter(store), "Enter accepts 2 rows.");
});

test("only attributes with other labels have changed, whatever the order of their values", () => {
  const before = { 1: { 10: [at(1, "a")] }, 2: { 10: [at(1, "a"), at(2, "b")] }, 3: { 10: [] } };
  const after = { 1: { 10: null }, 2: { 10: [at(2, "b"), at(1, "a")] } };
  assert.deepEqual(stores.changedBetween(before, after), [1]);
});

test("titles are shown without the words that most of them share, but never as a number alone", () => {
  const titles = ["Shop - Canon PowerShot A1 - Buy", "Shop - Nikon Coolpix S2 - Buy", "Shop - Leica Monochrom M3 - Buy"];
  assert.deepEqual(stores.apart(titles), ["… Canon PowerShot A1 …", "… Nikon Coolpix S2 …", "… Leica Monochrom M3 …"]);
  assert.deepEqual(stores.apart(["Page 1", "Page 2", "Page 3"]), ["Page 1", "Page 2", "Page 3"]);
  assert.deepEqual(stores.apart(["", "One"]), ["", "One"]);
});

test("a share is never rounded up to all nor down to none", () => {
  const shares = [[0, 0], [0, 9], [1, 1000], [1, 3], [999, 1000], [5, 5]].map(([hits, total]) => stores.percent(hits, total));
  assert.deepEqual(shares, ["–", "0 %", "<1 %", "33 %", "99.9 %", "100 %"]);
});

test("an attribute has its own key, else its number, and 0 is the tenth", () => {
  const many = Array.from({ length: 11 }, (_, number) => ({ ...made().attributes[0], id: number + 1, hotkey: number === 1 ? "u" : "" }));
  assert.deepEqual(made({ attributes: many }).attributes.map(({ hotkey }) => hotkey), ["1", "u", "3", "4", "5", "6", "7", "8", "9", "0", ""]);
});

test("values are awaited where a rule is on its way, and not where nothing is marked or nothing could be learned", () => {
  const [title, authors] = made().attributes;
  const store = made({ labels: { 1: { 20: [at(3, "Two")] } } });
  assert.deepEqual([stores.isAwaited(store, title), stores.isAwaited(store, authors)], [true, false]);
  store.drafts.set(1, { attribute: 1, state: "failed" });
  assert.equal(stores.isAwaited(store, title), false);
  store.drafts.set(1, learned(1, { 10: [] }));
  assert.equal(stores.isAwaited(store, title), false);
});

test("no two attributes have the same key", () => {
  const [title, authors] = made().attributes;
  assert.deepEqual(made({ attributes: [{ ...title, hotkey: "" }, { ...authors, hotkey: "1" }] }).attributes.map(({ hotkey }) => hotkey), ["", "1"]);
});

test("a click on a part of a proposed value of several takes the part instead of the whole", () => {
  const authors = made().attributes[1];
  const cell = { location: { node: 4, kind: "element" }, value: "Austen, Brontë" };
  const click = (kind, clicked, values, hit) => stores.afterClick(authors, { kind, values }, clicked, hit);
  assert.deepEqual(click("proposed", at(5, "Austen"), [cell], [cell]), [at(5, "Austen")]);
  assert.deepEqual(click("proposed", at(5, "Austen"), [cell, at(9, "Dumas")], [cell]), [at(9, "Dumas"), at(5, "Austen")]);
  assert.deepEqual(click("proposed", cell, [cell, at(9, "Dumas")], [cell]), [at(9, "Dumas")], "the proposed value itself is left out");
  assert.deepEqual(click("confirmed", at(5, "Austen"), [cell], [cell]), [], "what a person marked is removed");
});

test("that nothing is found in a language in which nothing is marked is no reason to confirm it", () => {
  const store = made({ labels: { 1: { 20: [at(1, "Tea")] } } });
  store.drafts.set(1, learned(1, { 10: [], 30: [] }, { unheard: [10] }));
  assert.deepEqual([10, 30].map((page) => stores.standing(store, 1, page).kind), ["unknown", "none"]);
  assert.equal(stores.isAwaited(store, store.attributes[0]), false, "nothing more is to come");
});
