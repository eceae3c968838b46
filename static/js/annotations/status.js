// The lines around the page: its title, whether everything is saved, and how many samples are done.

import { byId } from "../core/dom.js";
import { gettext, ngettext } from "../core/words.js";
import { acceptable } from "./rows.js";
import { currentOf, needed, nextUnsaid, offered, pageOf, saidOn } from "./store.js";

/** @typedef {import("./store.js").Store} Store */

/** @param {Store} store @param {boolean} styled @param {boolean} tree */
export function drawHead(store, styled, tree) {
  const sample = pageOf(store);
  byId("page-title").textContent = sample?.title || sample?.url || "";
  byId("page-title").title = sample?.url ?? "";
  byId("apart").hidden = !sample?.apart;
  byId("apart").setAttribute("href", sample?.apart ?? "");
  byId("page-url").textContent = sample?.title ? sample.url : "";
  byId("page-url").title = sample?.url ?? "";
  byId("styles").setAttribute("aria-pressed", String(styled));
  byId("tree-button").setAttribute("aria-pressed", String(tree));
}

/** @param {Store} store @param {{saving: boolean, failed: boolean, at: number}} saves */
export function drawSaved(store, { saving, failed, at }) {
  byId("saved").textContent = saving ? gettext("saving…") : failed ? gettext("not saved") : at ? gettext("saved %(when)s", { when: ago(at) }) : gettext("Marks are saved as you make them");
  byId("saved").classList.toggle("state-broken", failed && !saving);
  byId("undo").toggleAttribute("disabled", !store.steps.undo);
  byId("redo").toggleAttribute("disabled", !store.steps.redo);
}

/** @param {number} at */
function ago(at) {
  const seconds = Math.round((Date.now() - at) / 1000);
  return seconds < 2 ? gettext("just now") : seconds < 60 ? gettext("%(seconds)s s ago", { seconds }) : gettext("%(minutes)s min ago", { minutes: Math.floor(seconds / 60) });
}

/** What Enter does on a page on which everything is marked. @param {Store} store */
export function nextEnter(store) {
  const like = offered(store).length;
  if (like) return ngettext("Enter adds %(count)s similar value.", "Enter adds %(count)s similar values.", like);
  const list = currentOf(store)?.list;
  const rows = list ? new Set(acceptable(store, list, store.page).map(({ row }) => row)).size : 0;
  if (rows) return ngettext("Enter accepts %(count)s row.", "Enter accepts %(count)s rows.", rows);
  return gettext("Enter opens the next one.");
}

/** @param {Store} store */
export function drawFoot(store) {
  const wanted = store.samples.slice(0, needed(store));
  const done = wanted.filter((sample) => saidOn(store, sample.id) === store.attributes.length).length;
  const last = store.samples.at(-1)?.id === store.page;
  const empty = !store.samples.length || !store.attributes.length;
  byId("progress").textContent = empty ? "" : nextUnsaid(store) === null && !last ? `${gettext("This page is done.")} ${nextEnter(store)}` : ngettext("%(done)s of %(count)s sample done", "%(done)s of %(count)s samples done", wanted.length, { done });
  const learnable = store.attributes.some((attribute) => Object.values(store.labels[attribute.id] ?? {}).some((values) => values?.length));
  byId("learn").toggleAttribute("disabled", !learnable);
  const unread = store.unread.get(store.page) ?? "";
  byId("own-data").textContent = unread ? gettext("Embedded data: %(unread)s", { unread }) : "";
  byId("own-data").title = unread;
  byId("publish").toggleAttribute("hidden", !store.rule.draft);
}
