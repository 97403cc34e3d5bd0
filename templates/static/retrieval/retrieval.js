// What pages do better with scripts; all of them work without.

// Addresses carry only what was filled in.
document.addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

// What fails in place, for a refusal or without a network, is loaded as a page, which says what happened.
const asPage = ({ detail }) => {
  if (detail.requestConfig.verb === "get") location.assign(detail.pathInfo.finalRequestPath);
  else sendAsPage(detail.elt, detail.requestConfig.triggeringEvent?.submitter);
};
document.addEventListener("htmx:responseError", asPage);
document.addEventListener("htmx:sendError", asPage);

// Past htmx, which listens for the event; a button's own value goes along.
function sendAsPage(form, button) {
  if (button) form.append(Object.assign(document.createElement("input"), { type: "hidden", name: button.name, value: button.value }));
  HTMLFormElement.prototype.submit.call(form);
}

// The other language of the page that is shown now, not of the one that was loaded.
document.addEventListener("htmx:pushedIntoHistory", () => {
  document.querySelector(".languages [name=next]").value = location.pathname + location.search;
});

for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText.trim());
    button.querySelector("span").textContent = button.dataset.done;
    announce(button.dataset.done);
  });
}

// Said by screen readers, which do not hear that a button is called otherwise.
function announce(words) {
  const said = document.createElement("p");
  said.className = "visually-hidden";
  said.setAttribute("role", "status");
  document.body.append(said);
  setTimeout(() => (said.textContent = words), 50); // a region is listened to only once it stands
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// A long outline opens where one reads.
const outline = document.querySelector(".reader > .outline");
const here = outline?.querySelector("[aria-current]");
if (here) outline.scrollTop = here.getBoundingClientRect().top - outline.getBoundingClientRect().top - outline.clientHeight / 3;
