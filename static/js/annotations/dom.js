// Making elements without writing HTML: what comes from pages is text, always.

/** @param {string} tag @param {Record<string, any>} [props] `class`, `data`, `on` are special. @param {...(Node | string | null | false | undefined)} children */
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

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/** An error in words. @param {unknown} error */
export const said = (error) => (error instanceof Error ? error.message : String(error));
