// What the look's own templates give to the mouse and the eye alone, given to the keyboard and to screen readers.
// Its tag names what shows an icon and no words: the menu, and other parts that open and close.

const { menu, toggle } = document.currentScript.dataset;
const ICON = ".material-symbols-outlined";

function wordsIn(element) {
  const copy = element.cloneNode(true);
  for (const icon of copy.querySelectorAll(ICON)) icon.remove();
  return copy.matches(ICON) ? "" : copy.textContent.trim();
}

function isNamed(element) {
  return Boolean(element.ariaLabel || element.title || wordsIn(element));
}

// "openUserLinks = !openUserLinks": whether what it opens is open, each time that changes.
function tellState(element) {
  const [, state] = element.getAttribute("x-on:click").match(/^(\w+) = !\1/) ?? [];
  if (state) window.Alpine?.effect(() => (element.ariaExpanded = String(Boolean(Alpine.evaluate(element, state)))));
}

for (const element of document.querySelectorAll("[x-on\\:click]:is(span, div, a:not([href]))")) {
  // What lies behind a dialog shuts it when it is clicked, and is no button.
  if (!element.textContent.trim() || element.querySelector("a, button, input, select")) continue;
  element.role = "button";
  element.tabIndex = 0;
  if (!isNamed(element)) element.ariaLabel = element.getAttribute("x-on:click").startsWith("sidebar") ? menu : toggle;
  tellState(element);
}

document.addEventListener("keydown", (event) => {
  if (!["Enter", " "].includes(event.key) || !event.target.matches("[x-on\\:click][role=button]")) return;
  event.preventDefault();
  event.target.click();
});

// The names of icons are no words; where nothing else names a link or a button, they are better than none.
for (const icon of document.querySelectorAll(ICON)) {
  const control = icon.closest("a, button, [role=button]");
  if (!control || (control !== icon && isNamed(control))) icon.ariaHidden = "true";
}

document.getElementById("main")?.setAttribute("role", "main"); // not there before one has signed in

// Boxes to choose from, which jQuery draws once the page is there, have the label of the list that they stand for.
window.django?.jQuery?.(() => {
  for (const list of document.querySelectorAll("select.select2-hidden-accessible")) {
    const [label] = list.labels;
    const drawn = list.nextElementSibling;
    if (!label || !drawn?.matches(".select2-container")) continue;
    label.id ||= `${list.id}_label`;
    for (const box of drawn.querySelectorAll(".select2-selection, .select2-search__field")) {
      box.setAttribute("aria-labelledby", `${label.id} ${box.getAttribute("aria-labelledby") ?? ""}`.trim());
    }
  }
});
