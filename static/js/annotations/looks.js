// A page's own style sheets and pictures: whether some are missing, and the button that lets the server load them.

import { byId, said } from "../core/dom.js";
import { gettext, ngettext } from "../core/words.js";

const ASK_AFTER_MS = 800; // The page itself comes first.
const POLL_MS = 700;

/** @param {ReturnType<typeof import("./api.js").connect>} api @param {() => void} again shows the page once more @param {(text: string, kind?: "error") => void} tell */
export function looks(api, again, tell) {
  const button = /** @type {HTMLButtonElement} */ (byId("load-looks"));
  let asked = 0;
  let loading = false;

  /** Shows the button when something is missing. @param {number} page */
  async function ask(page) {
    asked = page;
    if (loading) return;
    button.hidden = true;
    await new Promise((done) => { setTimeout(done, ASK_AFTER_MS); });
    await api.idle();
    if (asked !== page || loading) return;
    try {
      const { missing, possible } = await api.get("looks/", { page });
      if (asked !== page || loading) return;
      button.hidden = !(possible && missing);
      button.textContent = ngettext("Load %(count)s missing file", "Load %(count)s missing files", missing);
    } catch {
      button.hidden = true; // The page is shown without them. Nobody asked for them, so no message is shown.
    }
  }

  async function load() {
    loading = true;
    button.disabled = true;
    try {
      const { progress } = await api.post("looks/load/");
      const run = await finished(progress);
      if (run.state !== "done") throw new Error(run.message || gettext("Loading was cancelled."));
      if (run.failed) tell(gettext("%(loaded)s files were loaded; %(failed)s could not be. The page is shown without them.", { loaded: run.loaded, failed: run.failed }));
      again();
    } catch (error) {
      tell(said(error), "error");
    }
    loading = false;
    button.disabled = false;
    ask(asked);
  }

  /** @param {string} address */
  async function finished(address) {
    for (;;) {
      const run = await api.get(address);
      if (run.finished) return run;
      button.textContent = run.total ? gettext("Loading %(done)s of %(total)s…", { done: run.done, total: run.total }) : run.state === "queued" ? gettext("Waiting for a worker…") : gettext("Loading…");
      await new Promise((done) => { setTimeout(done, POLL_MS); });
    }
  }

  button.addEventListener("click", load);
  return { ask };
}
