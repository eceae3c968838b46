// Requests of the workbench to the server. Changes are sent one after the other, in the order they were made.
//
// A change holds all marks of its attributes on its page. The server answers before it learns from them. When the page is left, all waiting changes
// are sent at once, by requests that outlive the page.

import { gettext } from "../core/words.js";

/** A failed request, with a message to show. */
export class Refused extends Error {}

const KEEPALIVE_CHARS = 15_000; // Requests that outlive a page may have 64 KB of UTF-8; a character may take four bytes.

/** @typedef {{path: string, body: any, done: (answer: any) => void, failed: (error: unknown) => void}} Waiting */

/** @param {HTMLElement} root has data-base, the address of the workbench, and data-csrf */
export function connect(root) {
  const base = root.dataset.base ?? "";
  const csrf = root.dataset.csrf ?? "";
  /** @type {Waiting[]} */ let queue = [];
  /** @type {(() => void)[]} */ let idlers = [];
  let open = 0;
  let sending = false;

  /** @param {string} path @param {Record<string, string | number>} [query] @returns {Promise<any>} */
  const get = (path, query = {}) => answer(fetch(`${address(base, path)}?${new URLSearchParams(strings(query))}`, { headers: { Accept: "application/json" } }));

  /** @param {string} path @param {unknown} body @returns {Promise<any>} */
  function send(path, body) {
    const text = JSON.stringify(body);
    const headers = { "Content-Type": "application/json", "X-CSRFToken": csrf };
    return answer(fetch(address(base, path), { method: "POST", headers, body: text, keepalive: text.length < KEEPALIVE_CHARS }));
  }

  /** Sends a change and reports the answer to its caller. Never fails itself. @param {Waiting} one */
  async function settle({ path, body, done, failed }) {
    try {
      done(await send(path, body));
    } catch (error) {
      failed(error);
    } finally {
      open -= 1;
      if (!open) for (const idler of idlers.splice(0)) idler();
    }
  }

  async function sendAll() {
    if (sending) return;
    sending = true;
    for (let one = queue.shift(); one; one = queue.shift()) await settle(one);
    sending = false;
  }

  /** Sends a request once all earlier ones are answered. @param {string} path @param {unknown} [body] @returns {Promise<any>} */
  function post(path, body = {}) {
    open += 1;
    return new Promise((done, failed) => {
      queue.push({ path, body, done, failed });
      sendAll();
    });
  }

  /** Sends all waiting changes at once, because the page may be gone in a moment. */
  function flush() {
    for (const one of together(queue.splice(0))) settle(one);
  }

  /** Joins neighbouring changes of one page, because these requests may arrive in any order. For each attribute, the last change counts.
 * @param {Waiting[]} waiting */
  function together(waiting) {
    /** @type {Waiting[]} */ const sent = [];
    for (const one of waiting) {
      const last = sent.at(-1);
      if (!last?.body.changes || !one.body.changes || last.body.page !== one.body.page) {
        sent.push({ ...one });
        continue;
      }
      open -= 1;
      const { done, failed } = last;
      const targetOf = (/** @type {any} */ change) => `${change.attribute}/${change.row ?? 0}`;
      const later = new Set(one.body.changes.map(targetOf));
      last.body = { page: one.body.page, changes: [...last.body.changes.filter((/** @type {any} */ change) => !later.has(targetOf(change))), ...one.body.changes] };
      last.done = (found) => { done(found); one.done(found); };
      last.failed = (error) => { failed(error); one.failed(error); };
    }
    return sent;
  }

  /** Resolves when no change is waiting or being sent. @returns {Promise<void>} */
  const idle = () => (open ? new Promise((done) => { idlers.push(done); }) : Promise.resolve());

  return { get, post, flush, idle, busy: () => open > 0 };
}

/** @param {string} base @param {string} path */
const address = (base, path) => (path.startsWith("/") ? path : base + path);

/** @param {Record<string, string | number>} query */
const strings = (query) => Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

/** @param {Promise<Response>} request */
async function answer(request) {
  const response = await request.catch(() => {
    throw new Refused(gettext("The server cannot be reached. Your last mark was not saved and has been removed; mark it again in a moment."));
  });
  if (response.redirected) throw new Refused(gettext("You are signed out. Sign in again in another tab, then continue here."));
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(body.error ?? gettext("The server answered with %(status)s.", { status: response.status }));
  return body;
}
