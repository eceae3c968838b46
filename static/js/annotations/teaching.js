// Which page to mark next and why; or that no further page would change the rule.

import { byId, h, said } from "../core/dom.js";
import { gettext, ngettext } from "../core/words.js";
import { saidOn } from "./store.js";

const BREATH_MS = 200; // Pause between two slices of the search, so that a click need not wait.

/** @typedef {import("./store.js").Store} Store @typedef {import("./store.js").Sample} Sample
 * @typedef {{page: number, reason: string, doubts: {attribute: string, values: string[]}[]}} Offer
 * @typedef {{offers: Offer[], pages: Sample[], covered: Record<string, number>, annotated: number, disputed: number, missing: number, checked: number, total: number, complete: boolean, settled: boolean, unlearned: string[], doubts: {attribute: string, words: string, page: number}[]}} Advice */

/**
 * @param {{get: (path: string, query?: Record<string, string | number>) => Promise<any>, idle: () => Promise<void>}} api
 * @param {() => Store} known @param {() => void} draw @param {() => void} publish learns and publishes the rule
 * @param {(page: number) => void} open opens a page in the workbench
 */
export function adviser(api, known, draw, publish, open) {
  /** Numbers the questions. An answer to an older one is about labels that have changed since. */
  let asked = 0;
  /** @type {Advice | null} */ let latest = null;
  let arranged = 0; // The page for which the samples were last put in order. Their order stays while one marks a page.

  /** Puts the samples in the order of the newest advice. Called when a page is left or done. */
  function arrange() {
    if (!latest) return;
    reorder(known(), latest);
    arranged = known().page;
  }

  /** Asks until every page has been looked at. A new mark starts the search again. */
  async function advise() {
    const mine = ++asked;
    drawSettled(byId("settled"), null, { publish, open });
    try {
      for (let complete = false; !complete; ) {
        await new Promise((done) => setTimeout(done, BREATH_MS));
        await api.idle();
        if (mine !== asked) return;
        const advice = await api.get("advice/", { begun: known().samples.filter((sample) => isBegun(known(), sample)).map((sample) => sample.id).join(",") });
        if (mine !== asked) return;
        complete = advice.complete;
        latest = advice;
        const store = known();
        if (mayArrange(store, arranged, mine === 1)) arrange();
        draw();
        drawSettled(byId("settled"), advice, { publish, open });
      }
    } catch (error) {
      byId("settled").textContent = said(error);
    }
  }

  return { advise, arrange, hush: () => { asked += 1; } };
}

/** Whether new advice may put the samples in order: not while a person is marking the page.
 * @param {Store} store @param {number} arranged the page for which they were last put in order
 * @param {boolean} untouched whether nothing was marked since the workbench was opened */
export function mayArrange(store, arranged, untouched) {
  const here = saidOn(store, store.page);
  return untouched || (arranged !== store.page && !here) || here === store.attributes.length;
}

/** @param {Store} store @param {Sample} sample */
const isBegun = (store, sample) => sample.id === store.page || saidOn(store, sample.id) > 0;

/** Keeps begun pages in place and sorts the others by how much marking them would improve the rule. @param {Store} store @param {Advice} advice */
export function reorder(store, { offers, pages, covered }) {
  const rank = new Map(offers.map((offer, number) => [offer.page, number]));
  const reasons = new Map(offers.map((offer) => [offer.page, offer.reason]));
  const begun = (/** @type {Sample} */ sample) => isBegun(store, sample);
  const fresh = pages.filter((page) => !store.samples.some((sample) => sample.id === page.id));
  const kept = [...store.samples, ...fresh].filter((sample) => sample.covered !== null || begun(sample) || rank.has(sample.id));
  for (const sample of kept) sample.reason = reasons.get(sample.id) ?? "";
  const last = kept.length;
  const rest = kept.filter((sample) => !begun(sample)).sort((a, b) => (rank.get(a.id) ?? last) - (rank.get(b.id) ?? last));
  store.samples = [...kept.filter(begun), ...rest].map((sample) => (sample.covered === null ? sample : { ...sample, covered: covered[sample.id] ?? sample.covered }));
}

/** @param {HTMLElement} note @param {Advice | null} advice @param {{publish: () => void, open: (page: number) => void}} actions */
function drawSettled(note, advice, { publish, open }) {
  note.hidden = !advice?.annotated || (!advice.settled && !advice.disputed && !advice.missing && !advice.unlearned.length && !advice.doubts.length);
  if (!advice || note.hidden) return;
  note.classList.toggle("wb-settled-done", advice.settled);
  if (!advice.settled && !advice.disputed && !advice.missing && advice.doubts.length) {
    const [{ attribute, words, page }] = advice.doubts;
    const left = advice.doubts.length - 1;
    const more = left ? ` ${ngettext("There is %(count)s more doubt.", "There are %(count)s more doubts.", left)}` : "";
    const look = h("button", { type: "button", class: "button button-small", title: gettext("Open one of these pages here"), on: { click: () => open(page) } }, gettext("Look at it"));
    note.replaceChildren(h("span", {}, h("span", { class: "state-suspect" }, "◐ "), `${attribute}: ${words}. ${gettext("Confirm what is right there, or mark it.")}${more}`), look);
    return;
  }
  if (!advice.settled) {
    note.replaceChildren(h("span", { class: "state-draft" }, "◐ "), h("span", {}, openQuestion(advice)));
    return;
  }
  const title = gettext("Learn the rule, check it and make it the live one");
  const button = h("button", { type: "button", class: "button button-small button-primary", title, on: { click: publish } }, gettext("Publish"));
  note.replaceChildren(h("span", {}, h("span", { class: "state-ok" }, "● "), enough(advice)), button);
}

/** What the next page is for. @param {Advice} advice */
function openQuestion({ complete, checked, disputed, missing, unlearned }) {
  const pages = pagesOf(disputed || missing);
  const where = complete ? pages : gettext("%(pages)s of %(checked)s checked so far", { pages, checked });
  if (disputed) return gettext("The rules that fit your marks disagree on %(where)s. The next page settles most of it.", { where });
  if (missing) return gettext("Some values are not found on %(where)s. Mark them on one of these pages, or say that they are not there.", { where });
  return gettext("Not learned yet: %(names)s.", { names: unlearned.join("; ") });
}

/** Why no further page is needed. @param {Advice} advice */
function enough({ annotated, total }) {
  const where = total === 1 ? gettext("the only page") : gettext("all %(total)s pages", { total });
  return ngettext(
    "%(count)s page was enough: every rule that fits your marks gives the same result on %(where)s.",
    "%(count)s pages were enough: every rule that fits your marks gives the same result on %(where)s.",
    annotated,
    { where },
  );
}

/** @param {number} count */
const pagesOf = (count) => ngettext("%(count)s page", "%(count)s pages", count);
