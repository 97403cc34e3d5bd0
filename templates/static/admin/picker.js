// Boxes that offer values while one types, by arrows, Enter and Escape or a tap; what is typed stands. See retrieval/admin/picker.py.

const around = (part) => part.closest(".arf-picker");
const boxIn = (part) => around(part).querySelector("[data-offers]");
const listIn = (part) => around(part).querySelector("[role=listbox]");
const isBox = (element) => element.matches("[data-offers]");

function mark(box, option) {
  for (const each of listIn(box).children) each.ariaSelected = String(each === option);
  if (!option) return box.removeAttribute("aria-activedescendant");
  box.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function show(box, isOpen) {
  const list = listIn(box);
  list.hidden = !isOpen || !list.children.length;
  box.ariaExpanded = String(!list.hidden);
  mark(box, null);
}

function shut(box) {
  window.htmx?.trigger(box, "htmx:abort");
  show(box, false);
}

function choose(option) {
  const box = boxIn(option);
  const [name, words] = option.cloneNode(true).children;
  box.value = option.dataset.value;
  around(box).querySelector("output").replaceChildren(name, " ", words);
  shut(box);
  box.dispatchEvent(new Event("change", { bubbles: true }));
}

function move(box, by) {
  const options = [...listIn(box).children];
  if (listIn(box).hidden) return options.length ? show(box, true) : window.htmx?.trigger(box, "offer");
  const at = options.findIndex((each) => each.ariaSelected === "true");
  mark(box, options.at((Math.max(at, by > 0 ? -1 : 0) + by) % options.length));
}

document.addEventListener("focusin", ({ target }) => {
  if (!isBox(target)) return;
  const list = listIn(target);
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", list.id]]) {
    target.setAttribute(name, value);
  }
  target.ariaExpanded = String(!list.hidden);
  if (!target.value) window.htmx?.trigger(target, "offer");
});

document.addEventListener("focusout", ({ target }) => {
  if (isBox(target)) shut(target);
});

document.addEventListener("input", ({ target }) => {
  if (isBox(target)) around(target).querySelector("output").replaceChildren();
});

document.addEventListener("keydown", (event) => {
  if (!isBox(event.target)) return;
  const list = listIn(event.target);
  const chosen = list.hidden ? null : list.querySelector("[aria-selected=true]");
  const deeds = {
    ArrowDown: () => move(event.target, 1),
    ArrowUp: () => move(event.target, -1),
    ...(chosen && { Enter: () => choose(chosen) }),
    ...(!list.hidden && { Escape: () => shut(event.target) }),
  };
  if (!(event.key in deeds) || (list.hidden && event.target.matches("textarea"))) return;
  event.preventDefault();
  event.stopPropagation();
  deeds[event.key]();
});

document.addEventListener("mousedown", (event) => {
  if (event.target.closest(".arf-picker [role=listbox]")) event.preventDefault(); // the box keeps the focus
});

document.addEventListener("click", (event) => {
  const option = event.target.closest(".arf-picker [role=option]");
  if (option) choose(option);
});

document.addEventListener("htmx:afterSwap", ({ target }) => {
  if (!target.matches(".arf-picker [role=listbox]")) return;
  const box = boxIn(target);
  for (const [number, option] of [...target.children].entries()) option.id = `${target.id}-${number}`;
  show(box, box === document.activeElement);
});
