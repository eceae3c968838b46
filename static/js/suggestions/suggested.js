// Each suggested list and the table of suggested fields is a form of its own. The record type is chosen once, above them, and is sent with each.

import { around, maybe } from "../core/dom.js";

const type = maybe("[data-record-type]", HTMLInputElement);

document.addEventListener("submit", (event) => {
  if (type && around(event, "[data-takes]", HTMLElement) && !type.reportValidity()) event.preventDefault();
});
document.addEventListener("formdata", (event) => {
  if (type && around(event, "[data-takes]", HTMLElement)) event.formData.set("record_type", type.value);
});
