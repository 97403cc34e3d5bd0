// Picking a rule's targets by looking: a tick becomes a row of the form, and the rows show as ticks. See rules/browsing.py.

const MOST_PAGES = 10_000; // of a range that is shown as ticks
const MOST_CHUNKS = 500; // in one row

const boxOf = (row, name) => row.querySelector(`[name$="-${name}"]`);
const kindOf = (row) => boxOf(row, "kind").value;
const valueOf = (row) => boxOf(row, "value").value.trim();
const chunksIn = (row) => valueOf(row).split(/[,;\s]+/).filter(Boolean);

function pagesIn(row) {
  const pages = new Set();
  for (const [, from, to] of boxOf(row, "pages").value.matchAll(/(\d+)(?:\s*[-–]\s*(\d+))?/g)) {
    const last = Math.min(Number(to ?? from), Number(from) + MOST_PAGES);
    for (let page = Number(from); page <= last; page += 1) pages.add(page);
  }
  return pages;
}

function asRanges(pages) {
  const runs = [];
  for (const page of [...pages].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] === page - 1) run[1] = page;
    else runs.push([page, page]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
}

class Targets {
  constructor(panel) {
    this.panel = panel;
    this.rows = document.querySelector(`[data-rows="${panel.dataset.fills}"]`);
  }

  // The rows in which a tick stands. A row that names the document's file stands for the document.
  rowsWith(tick, { anyPages = false } = {}) {
    const [kind, name, page] = tick.split(" ");
    const filename = this.panel.querySelector(`[data-locator="${CSS.escape(name)}"]`)?.dataset.filename;
    const isDocument = (row) =>
      (kindOf(row) === "document" && valueOf(row) === name) ||
      (Boolean(filename) && kindOf(row) === "filename" && valueOf(row) === filename);
    const stands = {
      section: (row) => kindOf(row) === "section" && valueOf(row) === name,
      document: (row) => isDocument(row) && !pagesIn(row).size,
      page: (row) => isDocument(row) && (anyPages ? pagesIn(row).size > 0 : pagesIn(row).has(Number(page))),
      chunk: (row) => kindOf(row) === "chunk" && chunksIn(row).includes(name),
    }[kind];
    return [...this.rows.children].filter(stands);
  }

  // Whether there was room for it.
  add(tick) {
    if (this.rowsWith(tick).length) return true;
    const [kind, name, page] = tick.split(" ");
    if (kind === "page") {
      const [row] = this.rowsWith(tick, { anyPages: true });
      if (row) boxOf(row, "pages").value = asRanges(pagesIn(row).add(Number(page)));
      return Boolean(row) || this.begin("document", name, page);
    }
    if (kind === "chunk") {
      const row = [...this.rows.children].find((each) => kindOf(each) === "chunk" && chunksIn(each).length < MOST_CHUNKS);
      if (row) boxOf(row, "value").value = [...chunksIn(row), name].join(", ");
      return Boolean(row) || this.begin("chunk", name);
    }
    return this.begin(kind, name);
  }

  begin(kind, value, pages = "") {
    const row = [...this.rows.children].find((each) => !kindOf(each));
    if (!row) return false;
    this.turn(row, kind);
    boxOf(row, "value").value = value;
    boxOf(row, "pages").value = pages;
    return true;
  }

  remove(tick) {
    const [kind, name, page] = tick.split(" ");
    for (const row of this.rowsWith(tick)) {
      if (kind === "page") {
        const left = pagesIn(row);
        left.delete(Number(page));
        boxOf(row, "pages").value = asRanges(left);
        if (left.size) continue;
      }
      if (kind === "chunk") {
        const left = chunksIn(row).filter((each) => each !== name);
        boxOf(row, "value").value = left.join(", ");
        if (left.length) continue;
      }
      this.turn(row, "");
    }
  }

  // Another kind, told to whoever watches the rows: boxes are hidden and emptied, an empty row is added.
  turn(row, kind) {
    boxOf(row, "kind").value = kind;
    boxOf(row, "kind").dispatchEvent(new Event("change", { bubbles: true }));
  }

  show() {
    for (const box of this.panel.querySelectorAll("input[name=target]")) {
      box.checked = this.rowsWith(box.value).length > 0;
    }
  }
}

function nameOf(box) {
  return (box.ariaLabel ?? box.closest("label").innerText).trim().slice(0, 80);
}

function pickBeside(panel) {
  const targets = new Targets(panel);
  const said = panel.querySelector("[role=status]");
  panel.addEventListener("change", (event) => {
    const box = event.target;
    if (!box.matches("input[name=target]")) return;
    let words = panel.dataset.removed;
    if (!box.checked) targets.remove(box.value);
    else words = targets.add(box.value) ? panel.dataset.added : panel.dataset.full;
    said.textContent = `${words} ${nameOf(box)}`;
    targets.show();
  });
  for (const changed of ["input", "change"]) targets.rows.addEventListener(changed, () => targets.show());
  panel.addEventListener("htmx:load", () => targets.show());
}

document.addEventListener("DOMContentLoaded", () => {
  for (const panel of document.querySelectorAll("[data-fills]")) pickBeside(panel);
});
