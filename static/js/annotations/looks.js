// A page's own style sheets and pictures: whether some are missing, and the button that lets the server load them.

import { byId, said } from "../core/dom.js";

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
      button.textContent = `Load ${missing} missing file${missing === 1 ? "" : "s"}`;
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
      if (run.state !== "done") throw new Error(run.message || "Loading was cancelled.");
      if (run.failed) tell(`${run.loaded} files were loaded; ${run.failed} could not be. The page is shown without them.`);
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
      button.textContent = run.total ? `Loading ${run.done} of ${run.total}…` : run.state === "queued" ? "Waiting for a worker…" : "Loading…";
      await new Promise((done) => { setTimeout(done, POLL_MS); });
    }
  }

  button.addEventListener("click", load);
  return { ask };
}
