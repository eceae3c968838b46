// Lists and fields are taken by forms of their own; what a record of the pages is stands once above them and goes with each.
const type = document.querySelector("[data-record-type]");

document.addEventListener("submit", (event) => {
  if (type && event.target.matches("[data-takes]") && !type.reportValidity()) event.preventDefault();
});
document.addEventListener("formdata", (event) => {
  if (type && event.target.matches("[data-takes]")) event.formData.set("record_type", type.value);
});
