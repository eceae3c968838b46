// Changes that are being sent to the server, and the labels that the server has.
//
// A change is drawn at once as if it were saved. When the server refuses it, the labels go back to what the server has.

import { changedBetween, take } from "./store.js";

/** @typedef {import("./bench.js").Bench} Bench @typedef {import("./bench.js").Saving} Saving @typedef {import("./store.js").Store["labels"]} Labels */

const LOOK_MS = 1000; // Every click outside of the page's frame focuses the window.

/** @param {Bench} bench @returns {Saving} */
export function createSaving(bench) {
  const { api, root } = bench;
  /** The labels as the server knows them. @type {Labels} */ let saved = {};
  /** How many changes of an attribute are being sent. @type {Map<number, number>} */ const unsaved = new Map();
  let savedAt = 0;
  let failed = false;
  let lookedAt = 0;

  /** @param {import("./bench.js").Change[]} changes */
  async function save(changes) {
    const page = bench.store.page;
    const ids = changes.map(({ attribute }) => attribute);
    for (const id of ids) {
      stopCounting(id);
      unsaved.set(id, (unsaved.get(id) ?? 0) + 1);
    }
    root.dataset.learning = "true";
    bench.hush();
    const sent = api.post("label/", { page, changes });
    const arrived = () => { for (const id of ids) unsaved.set(id, (unsaved.get(id) ?? 1) - 1); };
    await settle(sent.finally(arrived));
  }

  /** The old values of a draft stay until the new ones come, but its hits are no longer counted. @param {number} attribute */
  function stopCounting(attribute) {
    const draft = bench.store.drafts.get(attribute);
    if (draft) bench.store.drafts.set(attribute, { ...draft, coverage: draft.coverage && { ...draft.coverage, complete: true } });
  }

  /** The labels of the attributes whose changes are being sent, or those of the others. @param {Labels} labels @param {boolean} waiting */
  const only = (labels, waiting) => Object.fromEntries(Object.entries(labels).filter(([id]) => Boolean(unsaved.get(Number(id))) === waiting));

  /** Applies the answer to a change, or goes back to what the server has. @param {Promise<any>} sent */
  async function settle(sent) {
    bench.drawSaves();
    try {
      const answer = await sent;
      if (answer.nothing) {
        bench.store.steps = answer.steps;
        bench.draw();
        return null;
      }
      take(bench.store, { ...answer, labels: only(answer.labels, false) });
      if (!api.busy()) remember();
      failed = false;
      savedAt = Date.now();
      bench.draw();
      bench.teach(Object.keys(answer.labels).map(Number), answer.page);
      return answer;
    } catch (error) {
      failed = true;
      bench.fail(error);
      await reload();
      return null;
    }
  }

  async function reload() {
    const { store } = bench;
    try {
      const fresh = await api.get("state/");
      const labels = { ...fresh.labels, ...only(store.labels, true) };
      const changed = changedBetween(store.labels, labels);
      Object.assign(store, { labels, steps: fresh.steps });
      saved = structuredClone(fresh.labels);
      bench.teach(changed, store.page);
    } catch {
      delete root.dataset.learning;
      store.labels = structuredClone(saved); // The server cannot be reached: do not show labels that it does not have.
    }
    bench.draw();
  }

  /** Another tab or another person may have changed something in the meantime. */
  async function lookAgain() {
    if (!bench.store || document.visibilityState !== "visible" || api.busy() || Date.now() - lookedAt < LOOK_MS) return;
    lookedAt = Date.now();
    const before = savedAt;
    try {
      const fresh = await api.get("state/");
      if (!api.busy() && before === savedAt) update(fresh);
    } catch {
      return; // Nobody asked for this request, so it fails silently; the next change reports the problem.
    }
  }

  /** @param {{labels: Labels, steps: {undo: boolean, redo: boolean}}} fresh */
  function update({ labels, steps }) {
    const { store } = bench;
    const changed = changedBetween(store.labels, labels);
    if (!changed.length && JSON.stringify(steps) === JSON.stringify(store.steps)) return;
    Object.assign(store, { labels, steps });
    remember();
    if (changed.length) bench.dropFocus();
    bench.draw();
    bench.teach(changed, store.page);
  }

  /** @param {"undo/" | "redo/"} which */
  async function replay(which) {
    const answer = await settle(api.post(which));
    if (!answer?.labels) return;
    bench.dropFocus();
    if (bench.store.samples.some((sample) => sample.id === answer.page)) bench.openPage(answer.page);
    bench.choose(Number(Object.keys(answer.labels)[0]));
  }

  /** Records that the server has the labels of the store. */
  function remember() {
    saved = structuredClone(bench.store.labels);
  }

  return { save, replay, lookAgain, remember, saves: () => ({ saving: api.busy(), failed, at: savedAt }) };
}
