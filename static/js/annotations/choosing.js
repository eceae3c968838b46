// Choosing the attribute, the page and the row of a list to work on.

import { toast } from "../core/toasts.js";
import { gettext } from "../core/words.js";
import * as lists from "./rows.js";
import { currentOf, isSaid, nextUnsaid, notLookedUp, saidOn, standing } from "./store.js";

/** @typedef {import("./bench.js").Bench} Bench @typedef {import("./bench.js").Choosing} Choosing */

/** @param {Bench} bench @returns {Choosing} */
export function createChoosing(bench) {
  /** @param {number} attribute @param {number} page */
  const isOpen = (attribute, page) => !isSaid(standing(bench.store, attribute, page));

  /** @param {number} attribute @param {{keepFocus?: boolean}} [how] */
  function choose(attribute, { keepFocus = false } = {}) {
    bench.store.current = attribute;
    if (!keepFocus) bench.dropFocus();
    bench.draw();
    bench.showValue();
  }

  /** @param {number} step */
  function chooseBy(step) {
    const { attributes, current } = bench.store;
    const at = attributes.findIndex((attribute) => attribute.id === current);
    const to = attributes[(at + step + attributes.length) % attributes.length];
    if (to) choose(to.id);
  }

  /** @param {number} page */
  function openPage(page) {
    const { store } = bench;
    if (page === store.page) return;
    store.page = page;
    bench.dropFocus();
    const unsaid = store.attributes.find((attribute) => isOpen(attribute.id, page));
    if (unsaid) store.current = unsaid.id;
    bench.showPage();
    bench.tree.follow(page);
    bench.draw();
    bench.suggest(page);
    bench.lookUp(notLookedUp(store, page)).catch(bench.fail);
  }

  /** @param {number} step */
  function openBy(step) {
    bench.arrange();
    const { samples, page } = bench.store;
    const to = samples[samples.findIndex((sample) => sample.id === page) + step];
    if (to) openPage(to.id);
    else toast(step > 0 ? gettext("This is the last sample page.") : gettext("This is the first sample page."));
  }

  /** Opens the next sample page on which something is still to be said. */
  function openNextUnsaid() {
    bench.arrange();
    const { samples, page, attributes } = bench.store;
    const later = samples.slice(samples.findIndex((sample) => sample.id === page) + 1);
    const to = later.find((sample) => saidOn(bench.store, sample.id) < attributes.length);
    if (to) openPage(to.id);
    else openBy(1);
  }

  /** @param {number} list @param {number} row */
  function openRow(list, row) {
    const { store } = bench;
    lists.openRow(store, list, store.page, row || lists.nextRow(store, list, store.page));
    const columns = lists.columns(store, list);
    const unsaid = columns.find((attribute) => isOpen(attribute.id, store.page));
    choose((unsaid ?? columns[0]).id);
  }

  function openNextRow() {
    const list = currentOf(bench.store)?.list ?? bench.store.lists[0]?.id;
    if (list) openRow(list, 0);
    else toast(gettext("This record type has no list."));
  }

  /** Goes to the next attribute that has neither a value nor "not on this page". When there is none, the page is done. */
  function advance() {
    const { store } = bench;
    const list = currentOf(store)?.list;
    const rowDone = list && lists.isDone(lists.saidIn(store, list, store.page, lists.rowOn(store, list, store.page)));
    if (rowDone && lists.markedRows(store, list, store.page).length < 2) return openRow(list, 0);
    const next = nextUnsaid(store);
    if (next !== null) choose(next, { keepFocus: true });
    else bench.draw();
  }

  return { choose, chooseBy, openPage, openBy, openNextUnsaid, openRow, openNextRow, advance };
}
