// A column's title sorts its table. Without scripts the tables read as they are: the worst first.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  for (const [place, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[place].dataset.value ?? row.cells[place].textContent;
      const size = (text) => (text === "nan" || text === "inf" ? Infinity : text === "" ? -Infinity : Number(text));
      const compare = (a, b) => {
        const [one, other] = [size(key(a)), size(key(b))];
        if (Number.isNaN(one) || Number.isNaN(other)) return key(a).localeCompare(key(b));
        return one === other ? 0 : one - other;
      };
      const rows = [...body.rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
      body.append(...rows);
    });
  }
}
