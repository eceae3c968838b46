// What every screen has: keys, the theme switch, dialogs, toasts, menus.
import { listen } from "./keys.js";
import { watchPicks } from "./pick.js";
import { toast, watchToasts } from "./toasts.js";

const THEMES = ["system", "light", "dark"];
const NAMES = { system: "system", light: "light", dark: "dark" };

function themeNow() {
  return document.documentElement.dataset.theme || "system";
}

function showTheme(button) {
  const now = themeNow();
  button.querySelectorAll("[data-theme-icon]").forEach((icon) => {
    icon.toggleAttribute("hidden", icon.dataset.themeIcon !== now);
  });
  const label = `Theme: ${NAMES[now]}`;
  button.querySelector(".label").textContent = label;
  button.title = `${label}. Click for the next.`;
}

function nextTheme(button) {
  const next = THEMES[(THEMES.indexOf(themeNow()) + 1) % THEMES.length];
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem("vertex-theme", next);
  } catch {
    toast("The browser keeps no settings: the theme holds for this page only.", "warning");
  }
  showTheme(button);
}

document.querySelectorAll("[data-theme-switch]").forEach((button) => {
  showTheme(button);
  button.addEventListener("click", () => nextTheme(button));
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (opener) {
    document.getElementById(opener.dataset.dialog)?.showModal();
    return;
  }
  if (event.target.closest("[data-dialog-close]")) event.target.closest("dialog")?.close();
  else if (event.target instanceof HTMLDialogElement) event.target.close();
  document.querySelectorAll("details.menu[open]").forEach((menu) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
});

// A field that says what must be typed unlocks its form's button.
document.addEventListener("input", (event) => {
  const wanted = event.target.dataset?.typed;
  if (wanted === undefined) return;
  event.target.form.querySelector("[data-typed-button]").disabled = event.target.value.trim() !== wanted;
});

document.querySelectorAll("[data-typed-button]").forEach((button) => { button.disabled = true; });

// A filter acts when it is chosen; without scripts its form's button does it.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

watchToasts();
watchPicks();
listen();
