// Which page to annotate next, why, and when no further page would change the rule.

import { byId, h, said } from "./dom.js";
import { saidOn } from "./store.js";

const BREATH_MS = 200; // Between two slices: whoever clicks meanwhile does not wait for one.

/** @typedef {import("./store.js").Store} Store @typedef {import("./store.js").Sample} Sample
 * @typedef {{page: number, reason: string, doubts: {attribute: string, values: string[]}[]}} Offer
 * @typedef {{offers: Offer[], pages: Sample[], annotated: number, disputed: number, checked: number, total: number, complete: boolean, settled: boolean}} Advice */

/**
 * @param {{get: (path: string, query?: Record<string, string | number>) => Promise<any>, idle: () => Promise<void>}} api
 * @param {() => Store} known @param {() => void} draw @param {() => void} publish learns the rule and publishes it
 */
export function adviser(api, known, draw, publish) {
  /** Counts questions: an answer to an older one is of labels that have changed since. */
  let asked = 0;

  /** Asks until every page was looked at; anything newly said begins anew. */
  async function advise() {
    const mine = ++asked;
    drawSettled(byId("settled"), null, publish);
    try {
      for (let complete = false; !complete; ) {
        await new Promise((done) => setTimeout(done, BREATH_MS));
        await api.idle();
        if (mine !== asked) return;
        const advice = await api.get("advice/");
        if (mine !== asked) return;
        complete = advice.complete;
        reorder(known(), advice);
        draw();
        drawSettled(byId("settled"), advice, publish);
      }
    } catch (error) {
      byId("settled").textContent = said(error);
    }
  }

  return { advise, hush: () => { asked += 1; } };
}

/** Pages begun keep their places; the others follow in the order in which they would teach most. @param {Store} store @param {Advice} advice */
export function reorder(store, { offers, pages }) {
  const rank = new Map(offers.map((offer, number) => [offer.page, number]));
  const reasons = new Map(offers.map((offer) => [offer.page, offer.reason]));
  const begun = (/** @type {Sample} */ sample) => sample.id === store.page || saidOn(store, sample.id) > 0;
  const fresh = pages.filter((page) => !store.samples.some((sample) => sample.id === page.id));
  const kept = [...store.samples, ...fresh].filter((sample) => sample.covered !== null || begun(sample) || rank.has(sample.id));
  for (const sample of kept) sample.reason = reasons.get(sample.id) ?? "";
  const last = kept.length;
  const rest = kept.filter((sample) => !begun(sample)).sort((a, b) => (rank.get(a.id) ?? last) - (rank.get(b.id) ?? last));
  store.samples = covering([...kept.filter(begun), ...rest]);
}

/** Samples in a new order, each with the share that it and those before it cover at least: what one was chosen for adding after others
 * it adds after fewer of them as well. @param {Sample[]} samples */
function covering(samples) {
  const before = samples.filter((sample) => sample.covered !== null).sort((a, b) => (a.covered ?? 0) - (b.covered ?? 0));
  const added = new Map(before.map((sample, number) => [sample.id, (sample.covered ?? 0) - (before[number - 1]?.covered ?? 0)]));
  let sum = 0;
  return samples.map((sample) => (sample.covered === null ? sample : { ...sample, covered: Math.min(1, (sum += added.get(sample.id) ?? 0)) }));
}

/** @param {HTMLElement} note @param {Advice | null} advice @param {() => void} publish */
function drawSettled(note, advice, publish) {
  note.hidden = !advice?.annotated || (!advice.settled && !advice.disputed);
  if (!advice || note.hidden) return;
  note.classList.toggle("wb-settled-done", advice.settled);
  if (!advice.settled) {
    const far = advice.complete ? "" : ` of ${advice.checked} looked at`;
    note.replaceChildren(h("span", { class: "state-draft" }, "◐ "), `Rules that fit differ on ${pagesOf(advice.disputed)}${far}. The next page decides most between them.`);
    return;
  }
  const enough = `${advice.annotated === 1 ? "1 page was" : `${advice.annotated} pages were`} enough: every rule that fits gives the same on ${advice.total === 1 ? "the only page" : `all ${advice.total} pages`}.`;
  note.replaceChildren(h("span", {}, h("span", { class: "state-ok" }, "● "), enough), h("button", { type: "button", class: "button button-small button-primary", title: "Learns the rule, checks it and makes it the live one", on: { click: publish } }, "Publish"));
}

/** @param {number} count */
const pagesOf = (count) => `${count} page${count === 1 ? "" : "s"}`;
