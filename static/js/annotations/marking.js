// What a person tells the workbench: this is a value, this proposal is right, this is not on the page.

import { toast } from "../core/toasts.js";
import { gettext, ngettext } from "../core/words.js";
import { samePlace } from "../display/places.js";
import { hitValues } from "./highlight.js";
import { acceptable, columns, placeOf, rowFor, rowOn } from "./rows.js";
import { afterClick, attributeOf, beside, currentOf, isAwaited, isOffered, isSaid, nextUnsaid, offered, put, standing, without } from "./store.js";

/**
 * @typedef {import("./bench.js").Bench} Bench
 * @typedef {import("./bench.js").Marking} Marking
 * @typedef {import("../display/places.js").Place} Place
 * @typedef {import("./store.js").Value} Value
 * @typedef {import("./store.js").Attribute} Attribute
 */

const MOST_NAMED = 4; // Attributes named in one message.

/** @param {Bench} bench @returns {Marking} */
export function createMarking(bench) {
  /** @param {Attribute} attribute */
  const now = (attribute) => standing(bench.store, attribute.id, bench.store.page);

  /** Sets the values; the arrow keys then act on `at`. @param {Attribute} attribute @param {Value[] | null} values @param {Place | null} at */
  function mark(attribute, values, at) {
    put(bench.store, attribute.id, values);
    bench.store.similar.delete(attribute.id);
    bench.dropFocus();
    if (at) bench.setFocus(attribute.id, at);
    bench.draw();
    bench.save([change(attribute.id, values)]);
  }

  /** @param {number} id @param {Value[] | null} values @param {number} [row] of the attribute's list; the open one by default @returns {import("./bench.js").Change} */
  function change(id, values, row) {
    const attribute = attributeOf(bench.store, id);
    const open = attribute ? rowFor(bench.store, attribute, bench.store.page) : 0;
    return { attribute: id, row: row ?? open, locations: values && values.map((value) => value.location) };
  }

  /** @param {{location: Place, value: string, marks: string[]}} clicked */
  function click({ location, value, marks }) {
    const attribute = currentOf(bench.store);
    if (!attribute) return;
    const before = now(attribute);
    const values = afterClick(attribute, before, { location, value }, hitValues(bench.store, marks));
    mark(attribute, values, values.at(-1)?.location ?? null);
    if (attribute.multiple && isOffered(before)) sayWhat(before.values, values);
    goOn(attribute, before);
  }

  /** Says what a click on proposed values of several has done: it confirms the others as well. @param {Value[]} proposed @param {Value[]} kept */
  function sayWhat(proposed, kept) {
    const left = without(proposed, kept);
    const confirmed = proposed.length - left.length;
    if (!left.length) return toast(ngettext("Added beside the proposed value, which is marked now.", "Added beside %(count)s proposed values, which are marked now.", proposed.length));
    const others = confirmed ? ` ${ngettext("The other one is marked now.", "The other %(count)s are marked now.", confirmed)}` : "";
    const value = left[0].value.slice(0, 40);
    toast((kept.length > confirmed ? gettext("Taken instead of “%(value)s”.", { value }) : gettext("Left out: “%(value)s”.", { value })) + others);
  }

  /** Marks a place as a value of the current attribute, however it was chosen: with the pointer, in the tree or with the keyboard. @param {Place} location */
  function takePlace(location) {
    const attribute = currentOf(bench.store);
    if (!attribute) return;
    const before = now(attribute);
    const taken = before.values.some((value) => samePlace(value.location, location));
    const added = { location, value: "…" };
    mark(attribute, !attribute.multiple ? [added] : taken ? before.values : [...before.values, added], location);
    goOn(attribute, before);
  }

  /** Goes on to the next attribute after the first value of one that has a single value. @param {Attribute} attribute
 * @param {import("./store.js").Standing} before */
  function goOn(attribute, before) {
    if (!attribute.multiple && !isSaid(before)) bench.advance();
  }

  /** Does what Enter means: marks the place at the cursor, or the similar values, or confirms the proposal or the found rows, or goes on. */
  function confirm() {
    const { store } = bench;
    const attribute = currentOf(store);
    const focus = bench.focus();
    if (!attribute) return;
    if (focus && focus.attribute === null) return takePlace(focus.location);
    const how = now(attribute);
    const like = offered(store);
    if (like.length) return mark(attribute, [...how.values, ...like], null);
    if (isOffered(how)) mark(attribute, how.values, null);
    else if (how.kind === "none") mark(attribute, null, null);
    else if (attribute.list && acceptable(store, attribute.list, store.page).length) return acceptRows(attribute.list);
    else if (nextUnsaid(store) === null) return bench.openNextUnsaid();
    bench.advance();
  }

  /** Confirms everything that is proposed on this page, as one step. */
  function confirmAll() {
    const { store } = bench;
    const changes = store.attributes
      .map((attribute) => ({ id: attribute.id, how: now(attribute) }))
      .filter(({ how }) => isOffered(how))
      .map(({ id, how }) => {
        put(store, id, how.values);
        return change(id, how.values);
      });
    const awaited = store.attributes.filter((attribute) => isAwaited(store, attribute)).map(({ name }) => name);
    if (awaited.length) toast(sayAwaited(awaited));
    else if (!changes.length) toast(gettext("Nothing is proposed on this page."));
    if (changes.length) saveAll(changes);
  }

  /** What is said of attributes whose values are still to come: nobody has seen them, so they are not confirmed. @param {string[]} names */
  function sayAwaited(names) {
    const shown = names.slice(0, MOST_NAMED).join(", ") + (names.length > MOST_NAMED ? " …" : "");
    return ngettext("Still looking for %(names)s. Press Shift+Enter again when its value is there.", "Still looking for %(names)s. Press Shift+Enter again when their values are there.", names.length, { names: shown });
  }

  /** Confirms the found rows of a list that are not marked yet, as one step. @param {number} list */
  function acceptRows(list) {
    const { store } = bench;
    const changes = acceptable(store, list, store.page).map(({ attribute, row, values }) => {
      (store.labels[attribute] ??= {})[placeOf(store.page, row)] = values;
      return change(attribute, values, row);
    });
    saveAll(changes);
  }

  /** Says that the open row of a list is none, as one step: all of it is missing. @param {number} list */
  function refuseRow(list) {
    const { store } = bench;
    const row = rowOn(store, list, store.page);
    const changes = columns(store, list).map(({ id }) => {
      (store.labels[id] ??= {})[placeOf(store.page, row)] = null;
      return change(id, null, row);
    });
    saveAll(changes);
  }

  /** @param {import("./bench.js").Change[]} changes */
  function saveAll(changes) {
    bench.dropFocus();
    bench.save(changes);
    bench.advance();
  }

  /** Adds the values beside those that are marked or proposed. */
  function addBeside() {
    const attribute = currentOf(bench.store);
    const further = beside(bench.store);
    if (attribute && further.length) mark(attribute, [...now(attribute).values, ...further], null);
  }

  function absent() {
    const attribute = currentOf(bench.store);
    if (!attribute) return;
    mark(attribute, null, null);
    bench.advance();
  }

  function clear() {
    const attribute = currentOf(bench.store);
    if (attribute && isSaid(now(attribute))) mark(attribute, [], null);
  }

  /** @param {number} number of the value */
  function remove(number) {
    const attribute = currentOf(bench.store);
    if (attribute) mark(attribute, now(attribute).values.filter((_, each) => each !== number), null);
  }

  return { click, takePlace, mark, confirm, confirmAll, acceptRows, refuseRow, addBeside, absent, clear, remove };
}
