// Sending an archive: dropped or chosen, checked before it is sent, with a progress bar. Without this module the form is an ordinary one.

import { one } from "../core/dom.js";
import { gettext } from "../core/words.js";
import { formatSize } from "./size.js";

const LEAST_SECONDS = 0.2; // The first moments of an upload say nothing about its rate.

const form = one("[data-upload]", HTMLFormElement);
const input = one("input[type=file]", HTMLInputElement, form);
const drop = one("[data-drop]", HTMLElement, form);
const title = one("[data-drop-title]", HTMLElement, form);
const error = one("[data-error]", HTMLElement, form);
const box = one("[data-progress]", HTMLElement, form);
const send = one("[data-send]", HTMLButtonElement, form);
const stop = one("[data-stop]", HTMLButtonElement, form);
const kinds = (form.dataset.kinds ?? "").split(" ");
const largest = Number(form.dataset.max);

/** @param {string} text empty for no error */
function say(text) {
  error.hidden = !text;
  one("span", HTMLElement, error).textContent = text;
}

/** Why a file cannot be imported; empty when it can. @param {File | undefined} file */
function problemOf(file) {
  if (!file) return gettext("Choose a file first.");
  if (!kinds.some((kind) => file.name.toLowerCase().endsWith(kind))) return gettext("%(name)s is not an archive that can be read. Choose one of: %(kinds)s.", { name: file.name, kinds: kinds.join(", ") });
  if (file.size > largest) return gettext("%(name)s has %(size)s; the limit is %(limit)s.", { name: file.name, size: formatSize(file.size), limit: formatSize(largest) });
  return file.size ? "" : gettext("%(name)s is empty. Choose another file.", { name: file.name });
}

function showChosen() {
  const file = input.files?.[0];
  title.textContent = file ? `${file.name}, ${formatSize(file.size)}` : gettext("Drop an archive here");
  say(file ? problemOf(file) : "");
}

/** @param {ProgressEvent} event @param {number} started */
function showProgress(event, started) {
  if (!event.lengthComputable) return;
  const share = event.loaded / event.total;
  const rate = event.loaded / Math.max(LEAST_SECONDS, (performance.now() - started) / 1000);
  const left = Math.ceil((event.total - event.loaded) / rate);
  one("progress", HTMLProgressElement, box).value = share;
  one("[data-done]", HTMLElement, box).textContent = gettext("%(done)s of %(total)s", { done: formatSize(event.loaded), total: formatSize(event.total) });
  one("[data-left]", HTMLElement, box).textContent = share < 1 ? gettext("%(rate)s a second, %(left)s s left", { rate: formatSize(rate), left }) : gettext("Received. Starting the import…");
}

/** @param {boolean} busy */
function showBusy(busy) {
  box.hidden = !busy;
  stop.hidden = !busy;
  send.disabled = busy;
}

/** @param {string} text why the upload ended */
function end(text) {
  showBusy(false);
  say(text);
}

/** @param {XMLHttpRequest} request */
function finish(request) {
  /** @type {{location?: string, error?: string}} */ let answer = {};
  try {
    answer = JSON.parse(request.responseText);
  } catch {
    answer = {};
  }
  if (request.status === 201 && answer.location) window.location.assign(answer.location);
  else end(answer.error || gettext("The server refused the upload (%(status)s). Sign in again or try a smaller archive.", { status: request.status }));
}

function upload() {
  const request = new XMLHttpRequest();
  const started = performance.now();
  request.upload.addEventListener("progress", (event) => showProgress(event, started));
  request.addEventListener("load", () => finish(request));
  request.addEventListener("error", () => end(gettext("The connection was lost. Nothing was imported; try again.")));
  request.addEventListener("abort", () => end(gettext("Stopped. Nothing was imported.")));
  stop.onclick = () => request.abort();
  request.open("POST", form.action || window.location.href);
  request.setRequestHeader("Accept", "application/json");
  showBusy(true);
  request.send(new FormData(form));
}

document.documentElement.classList.add("with-script");
input.addEventListener("change", showChosen);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const problem = problemOf(input.files?.[0]);
  say(problem);
  if (!problem) upload();
});
for (const name of ["dragenter", "dragover"]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer?.files.length) input.files = event.dataTransfer.files;
  showChosen();
});
