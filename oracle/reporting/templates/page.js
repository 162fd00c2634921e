"use strict";
(() => {
  const rows = [...document.querySelectorAll("[data-row]")];
  const folds = [...document.querySelectorAll("details")];
  const field = document.querySelector(".filter input");
  const number = document.querySelector(".filter .matches");
  let before = null;

  function filter() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && before === null) before = folds.map((each) => each.open);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    folds.forEach((fold, place) => {
      const within = [...fold.querySelectorAll("[data-row]")];
      if (!within.length) return;
      const found = within.some((row) => !row.hidden);
      fold.hidden = words.length > 0 && !found;
      fold.open = words.length ? found : before === null ? fold.open : before[place];
    });
    if (!words.length) before = null;
    number.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
  }

  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    if (target) target.scrollIntoView();
  }

  async function copy(event) {
    const button = event.target.closest("button.copy");
    if (!button) return;
    event.preventDefault();
    try {
      await navigator.clipboard.writeText(button.value);
    } catch {
      const area = document.body.appendChild(Object.assign(document.createElement("textarea"), { value: button.value }));
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1500);
  }

  if (field) {
    field.closest(".filter").hidden = false;
    field.addEventListener("input", filter);
  }
  document.addEventListener("click", copy);
  window.addEventListener("hashchange", unfold);
  if (location.hash) unfold();
})();
