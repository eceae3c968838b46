// What every screen has: keys, the theme switch, dialogs, menus, messages.

import { all, around, maybe, one } from "./dom.js";
import { watchSearches } from "./filtering.js";
import { listenToKeys } from "./keys.js";
import { watchPicks } from "./pick.js";
import { holdRefreshes } from "./pressing.js";
import { toast, watchToasts } from "./toasts.js";
import { gettext } from "./words.js";

holdRefreshes();

const THEMES = ["system", "light", "dark"];
const LABELS = /** @type {Record<string, string>} */ ({ system: gettext("Theme: system"), light: gettext("Theme: light"), dark: gettext("Theme: dark") });

const themeNow = () => document.documentElement.dataset.theme || "system";

/** @param {HTMLElement} button */
function showTheme(button) {
  const now = themeNow();
  for (const icon of button.querySelectorAll("[data-theme-icon]")) icon.toggleAttribute("hidden", icon.getAttribute("data-theme-icon") !== now);
  const label = LABELS[now] ?? now;
  one(".label", HTMLElement, button).textContent = label;
  button.title = `${label}. ${gettext("Click to change it.")}`;
}

/** @param {HTMLElement} button */
function nextTheme(button) {
  const next = THEMES[(THEMES.indexOf(themeNow()) + 1) % THEMES.length];
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem("vertex-theme", next);
  } catch {
    toast(gettext("Your browser does not store settings, so the theme holds for this page only."), "warning");
  }
  showTheme(button);
}

for (const button of all("[data-theme-switch]", HTMLElement)) {
  showTheme(button);
  button.addEventListener("click", () => nextTheme(button));
}

document.addEventListener("click", (event) => {
  const opener = around(event, "[data-dialog]", HTMLElement);
  if (opener) {
    maybe(`#${CSS.escape(opener.dataset.dialog ?? "")}`, HTMLDialogElement)?.showModal();
    return;
  }
  if (around(event, "[data-dialog-close]", HTMLElement)) around(event, "dialog", HTMLDialogElement)?.close();
  else if (event.target instanceof HTMLDialogElement) event.target.close();
  for (const menu of all("details.menu[open]", HTMLDetailsElement)) {
    if (!(event.target instanceof Node && menu.contains(event.target))) menu.open = false;
  }
});

// A menu that holds a form is opened to type into it.
document.addEventListener("toggle", (event) => {
  const menu = event.target;
  const field = menu instanceof HTMLDetailsElement && menu.open ? maybe("[data-menu-first]", HTMLInputElement, menu) : null;
  field?.focus();
  field?.select();
}, true);

// In the list of keys, another ? opens the help for this screen.
document.addEventListener("keydown", (event) => {
  if (event.key !== "?" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (maybe("#keys", HTMLDialogElement)?.open) maybe("#keys [data-help]", HTMLElement)?.click();
});

// A field that names the word to type unlocks the button of its form.
document.addEventListener("input", (event) => {
  const field = around(event, "[data-typed]", HTMLInputElement);
  if (field?.form) one("[data-typed-button]", HTMLButtonElement, field.form).disabled = field.value.trim() !== field.dataset.typed;
});

for (const button of all("[data-typed-button]", HTMLButtonElement)) button.disabled = true;

// A filter applies as soon as it is chosen. Without scripts the button of its form applies it.
document.addEventListener("change", (event) => {
  const filter = around(event, "[data-submit]", HTMLElement);
  if (filter instanceof HTMLInputElement || filter instanceof HTMLSelectElement) filter.form?.requestSubmit();
});

watchToasts();
watchPicks();
watchSearches();
listenToKeys();
