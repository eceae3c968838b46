// Pictures of templates with what is the same on all of their pages dimmed, by a button; off until it is asked for.
const button = document.querySelector("[data-dim]");

/** @param {boolean} on */
function show(on) {
  button.setAttribute("aria-pressed", String(on));
  for (const picture of document.querySelectorAll("[data-dimmed]")) {
    picture.dataset.plain ??= picture.getAttribute("src");
    picture.setAttribute("src", on ? picture.dataset.dimmed : picture.dataset.plain);
  }
}

button?.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
