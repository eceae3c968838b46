// The structured data of pages (JSON-LD, microdata, RDFa, Open Graph): it is offered where nothing is known yet, and drafts are compared with it.

/** @typedef {import("./store.js").Store} Store
 * @typedef {{words: string, agree: number, compared: number, different: number[]}} Agreement */

/**
 * @param {{get: (path: string, query?: Record<string, string | number>) => Promise<any>, idle: () => Promise<void>}} api
 * @param {() => Store} known @param {() => void} draw
 */
export function pageData(api, known, draw) {
  /** Asks for suggestions, once for each page. @param {number} page */
  async function suggest(page) {
    const store = known();
    if (!page || store.suggestions.has(page)) return;
    store.suggestions.set(page, new Map());
    try {
      await api.idle();
      const { suggestions, problem } = await api.get("suggestions/", { page });
      store.suggestions.set(page, new Map(suggestions.map((/** @type {any} */ row) => [row.attribute, row])));
      store.unread.set(page, problem);
      draw();
    } catch {
      store.suggestions.delete(page); // Suggestions are a convenience: without them values are clicked, as on pages without such data.
    }
  }

  /** Compares the drafts that were not compared yet, that of the current attribute first. */
  async function compare() {
    const store = known();
    const order = [store.current, ...store.drafts.keys()];
    for (const attribute of new Set(order)) {
      const draft = store.drafts.get(attribute);
      if (draft?.state !== "learned" || draft.agreement !== undefined) continue;
      await api.idle();
      const { agreement } = await api.get("agreement/", { attribute }).catch(() => ({ agreement: null }));
      const now = store.drafts.get(attribute);
      if (now && now.values === draft.values) store.drafts.set(attribute, { ...now, agreement });
    }
    draw();
  }

  return { suggest, compare };
}
