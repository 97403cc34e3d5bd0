// Keys of the judging page, unless its judge works without them; without scripts its buttons and links do the same.

const form = document.getElementById("grading");
const keys = document.getElementById("keys");
const explanation = document.getElementById("explanation");

function press(action) {
  form.querySelector(`button[value="${action}"]`).click();
}

function grade(value) {
  form.querySelector(`input[value="${value}"][name="grade"]`).checked = true;
  press("save");
}

const deeds = {
  s: () => press("skip"),
  u: () => press("undo"),
  n: () => document.querySelector(".turn [rel=next]")?.click(),
  p: () => document.querySelector(".turn [rel=prev]")?.click(),
  e: () => explanation.focus(),
  "?": () => keys.showModal(),
};
for (const value of "0123") deeds[value] = () => grade(value);

function isWriting(target) {
  return target.matches("textarea, select, input:not([type=radio])");
}

let sent = false; // a key held down grades once
if (form) {
  const wanted = document.getElementById("by-keys");
  wanted.checked = localStorage.getItem("judgeByKeys") !== "no";
  wanted.addEventListener("change", () => localStorage.setItem("judgeByKeys", wanted.checked ? "yes" : "no"));
  const help = document.getElementById("help");
  help.hidden = false;
  help.addEventListener("click", () => keys.showModal());
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", () => { sent = false; });
  explanation.addEventListener("keydown", (event) => {
    if (event.key === "Escape") explanation.blur();
  });
  // Before the admin's own shortcuts, which search the sidebar.
  document.addEventListener("keydown", (event) => {
    const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.repeat);
    if (!wanted.checked || !plain || keys.open || isWriting(event.target) || !(event.key in deeds)) return;
    event.preventDefault();
    event.stopPropagation();
    deeds[event.key]();
  }, true);
}
