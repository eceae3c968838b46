// Finds elements with their types, and makes them without writing HTML, so that what comes from pages is always text.

/**
 * The first element that a selector finds. Throws when there is none or it is of another class.
 * @template {Element} T @param {string} selector @param {new () => T} kind @param {ParentNode} [within] @returns {T}
 */
export function one(selector, kind, within = document) {
  const found = within.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`no ${kind.name} ${selector}`);
  return found;
}

/**
 * The first element that a selector finds, or null.
 * @template {Element} T @param {string} selector @param {new () => T} kind @param {ParentNode} [within] @returns {T | null}
 */
export function maybe(selector, kind, within = document) {
  const found = within.querySelector(selector);
  return found instanceof kind ? found : null;
}

/**
 * All elements of a class that a selector finds.
 * @template {Element} T @param {string} selector @param {new () => T} kind @param {ParentNode} [within] @returns {T[]}
 */
export function all(selector, kind, within = document) {
  return /** @type {T[]} */ ([...within.querySelectorAll(selector)].filter((element) => element instanceof kind));
}

/**
 * The element around an event's target that fits a selector, the target itself included.
 * @template {Element} T @param {Event} event @param {string} selector @param {new () => T} kind @returns {T | null}
 */
export function around(event, selector, kind) {
  const found = event.target instanceof Element ? event.target.closest(selector) : null;
  return found instanceof kind ? found : null;
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/**
 * A new element.
 * @param {string} tag
 * @param {Record<string, any>} [props] its attributes; `class`, `data` (dataset) and `on` (listeners) are special
 * @param {...(Node | string | null | false | undefined)} children what is null, false or undefined is left out
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, /** @type {EventListener} */ (act));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(.../** @type {(Node | string)[]} */ (children.filter((child) => child !== null && child !== false && child !== undefined)));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of templates/_icons.html. @param {string} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A share of 0 to 1 as a bar. @param {number} share @param {string} label */
export function bar(share, label) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", role: "img", "aria-label": label })) svg.setAttribute(name, value);
  const rect = document.createElementNS(SVG, "rect");
  rect.setAttribute("width", String(Math.round(share * 1000) / 10));
  rect.setAttribute("height", "1");
  svg.append(rect);
  return svg;
}

/** The message of whatever was thrown. @param {unknown} error */
export const said = (error) => (error instanceof Error ? error.message : String(error));
