// What the workbench asks the server. Changes go one after the other, in the order they were made; what failed is said.

export class Refused extends Error {}

/** @param {HTMLElement} root carries data-base, the address of the workbench, and data-csrf. */
export function connect(root) {
  const base = root.dataset.base ?? "";
  const csrf = root.dataset.csrf ?? "";
  let last = Promise.resolve();
  let open = 0;

  /** @param {string} path @param {Record<string, string | number>} [query] @returns {Promise<any>} */
  const get = (path, query = {}) => answer(fetch(`${address(base, path)}?${new URLSearchParams(strings(query))}`, { headers: { Accept: "application/json" } }));

  /** @param {string} path @param {unknown} [body] @returns {Promise<any>} */
  const send = (path, body = {}) =>
    answer(fetch(address(base, path), { method: "POST", headers: { "Content-Type": "application/json", "X-CSRFToken": csrf }, body: JSON.stringify(body) }));

  /** As `send`, after everything sent before. @param {string} path @param {unknown} [body] @returns {Promise<any>} */
  function post(path, body) {
    open += 1;
    const sent = last.then(() => send(path, body)).finally(() => { open -= 1; });
    last = sent.then(() => {}, () => {});
    return sent;
  }

  return { get, post, /** Resolves when no change is on its way. */ idle: () => last, busy: () => open > 0 };
}

/** @param {string} base @param {string} path */
const address = (base, path) => (path.startsWith("/") ? path : base + path);

/** @param {Record<string, string | number>} query */
const strings = (query) => Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

/** @param {Promise<Response>} request */
async function answer(request) {
  const response = await request.catch(() => {
    throw new Refused("The server cannot be reached. What you marked last is not saved and was taken back; mark it again in a moment.");
  });
  if (response.redirected) throw new Refused("You are signed out. Sign in again in another tab, then go on here.");
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(body.error ?? `The server answered with ${response.status}.`);
  return body;
}
