// Rows of a rule: hides boxes that a kind has no use for, and adds an empty row when the last one is used.

function fit(row) {
  const kind = row.querySelector("select[name$='-kind']").value;
  for (const part of row.querySelectorAll("[data-kinds]")) {
    part.hidden = !part.dataset.kinds.split(" ").includes(kind);
    if (part.hidden) for (const box of part.querySelectorAll("input[type=text], textarea")) box.value = "";
  }
}

function addRow(rows) {
  const last = rows.lastElementChild;
  const number = rows.children.length;
  const prefix = `${rows.dataset.rows}-${number - 1}`;
  const row = last.cloneNode(true);
  for (const element of row.querySelectorAll("[name], [id]")) {
    for (const attribute of ["name", "id"]) {
      const value = element.getAttribute(attribute);
      if (value) element.setAttribute(attribute, value.replace(prefix, `${rows.dataset.rows}-${number}`));
    }
  }
  rows.append(row);
  fit(row);
  window.htmx?.process(row);
}

function watch(rows) {
  for (const row of rows.children) fit(row);
  rows.addEventListener("change", (event) => {
    if (!event.target.matches("select[name$='-kind']")) return;
    const row = event.target.closest(".arf-row");
    for (const picked of row.querySelectorAll("output")) picked.replaceChildren(); // it was of another kind
    fit(row);
    if (event.target.value && row === rows.lastElementChild && rows.children.length < rows.dataset.most) addRow(rows);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  for (const rows of document.querySelectorAll("[data-rows]")) watch(rows);
});
