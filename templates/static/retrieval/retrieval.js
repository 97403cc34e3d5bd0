// What pages do better with scripts; all of them work without.

// Addresses carry only what was filled in.
document.addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

// A search that fails in place is loaded as a page, which says what happened.
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.requestConfig.verb === "get") location.assign(detail.pathInfo.finalRequestPath);
});

for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.querySelector("span").textContent = button.dataset.done;
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// A long outline opens where one reads.
const outline = document.querySelector(".reader > .outline");
const here = outline?.querySelector("[aria-current]");
if (here) outline.scrollTop = here.getBoundingClientRect().top - outline.getBoundingClientRect().top - outline.clientHeight / 3;
