// Messages that come and go. Errors stay until they are closed.
const STAYS_MS = 6000;

function leave(element) {
  if (!element.classList.contains("toast-error")) setTimeout(() => element.remove(), STAYS_MS);
}

export function toast(text, level = "info") {
  const element = document.getElementById("toast-template").content.firstElementChild.cloneNode(true);
  element.classList.add(`toast-${level}`);
  element.querySelector("p").textContent = text;
  document.getElementById("toasts").append(element);
  leave(element);
}

export function watchToasts() {
  const box = document.getElementById("toasts");
  box.querySelectorAll(".toast").forEach(leave);
  box.addEventListener("click", (event) => {
    if (event.target.closest("button")) event.target.closest(".toast").remove();
  });
  document.body.addEventListener("htmx:responseError", (event) => {
    toast(`The server answered with ${event.detail.xhr.status}. Reload the page and try again.`, "error");
  });
  document.body.addEventListener("htmx:sendError", () => {
    toast("The server cannot be reached. Nothing was lost; try again in a moment.", "error");
  });
}
