// Sending an archive: dropped or chosen, checked before it goes, with a bar while it does. Without this module the form
// is an ordinary one.
const form = document.querySelector("[data-upload]");
const input = form.querySelector("input[type=file]");
const drop = form.querySelector("[data-drop]");
const title = form.querySelector("[data-drop-title]");
const error = form.querySelector("[data-error]");
const box = form.querySelector("[data-progress]");
const send = form.querySelector("[data-send]");
const stop = form.querySelector("[data-stop]");
const kinds = form.dataset.kinds.split(" ");

document.documentElement.classList.add("with-script");

function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let number = bytes;
  while (number >= 1024 && unit < units.length - 1) { number /= 1024; unit += 1; }
  return `${unit && number < 10 ? number.toFixed(1) : Math.round(number)} ${units[unit]}`;
}

function say(text) {
  error.hidden = !text;
  error.querySelector("span").textContent = text;
}

function wrong(file) {
  if (!file) return "Choose a file first.";
  if (!kinds.some((kind) => file.name.toLowerCase().endsWith(kind))) {
    return `${file.name} is not an archive that can be read. Give one of: ${kinds.join(", ")}.`;
  }
  if (file.size > Number(form.dataset.max)) {
    return `${file.name} has ${size(file.size)}; at most ${size(Number(form.dataset.max))} are accepted.`;
  }
  return file.size ? "" : `${file.name} is empty. Choose another.`;
}

function chosen() {
  const file = input.files[0];
  title.textContent = file ? `${file.name}, ${size(file.size)}` : "Drop an archive here";
  say(file ? wrong(file) : "");
}

function progress(event, started) {
  if (!event.lengthComputable) return;
  const share = event.loaded / event.total;
  const rate = event.loaded / Math.max(0.2, (performance.now() - started) / 1000);
  const left = Math.ceil((event.total - event.loaded) / rate);
  box.querySelector("progress").value = share;
  box.querySelector("[data-done]").textContent = `${size(event.loaded)} of ${size(event.total)}`;
  box.querySelector("[data-left]").textContent = share < 1 ? `${size(rate)} a second, ${left} s left` : "Received. Starting the import…";
}

function busy(on) {
  box.hidden = !on;
  stop.hidden = !on;
  send.disabled = on;
}

function answered(request) {
  let answer = {};
  try {
    answer = JSON.parse(request.responseText);
  } catch {
    answer = {};
  }
  if (request.status === 201) {
    window.location.assign(answer.location);
    return;
  }
  busy(false);
  say(answer.error || `The server refused the upload (${request.status}). Sign in again or try a smaller archive.`);
}

function upload() {
  const request = new XMLHttpRequest();
  const started = performance.now();
  request.upload.addEventListener("progress", (event) => progress(event, started));
  request.addEventListener("load", () => answered(request));
  request.addEventListener("error", () => { busy(false); say("The connection broke. Nothing was imported; try again."); });
  request.addEventListener("abort", () => { busy(false); say("Stopped. Nothing was imported."); });
  stop.onclick = () => request.abort();
  request.open("POST", form.action || window.location.href);
  request.setRequestHeader("Accept", "application/json");
  busy(true);
  request.send(new FormData(form));
}

input.addEventListener("change", chosen);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const reason = wrong(input.files[0]);
  say(reason);
  if (!reason) upload();
});
["dragenter", "dragover"].forEach((name) => drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); }));
["dragleave", "drop"].forEach((name) => drop.addEventListener(name, () => drop.classList.remove("over")));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  chosen();
});
