import { h, icon } from "./parts/dom.ts";

const shownMax = 12;

interface Found {
  id: string;
  text: string;
}

/**
 * Searches everything on the page that has `data-find`; every word must occur. `/` focuses the field, the arrows choose
 * a result, Escape goes back.
 */
export function search(main: HTMLElement): HTMLElement {
  const entries = [...main.querySelectorAll<HTMLElement>("[data-find]")].map(({ id, dataset }) => ({
    id,
    text: dataset["find"] ?? "",
  }));
  const input = h("input", {
    type: "search",
    id: "search",
    placeholder: "Search",
    "aria-controls": "found",
    autocomplete: "off",
  });
  const list = h("ul", { id: "found" });
  const status = h("p", { class: "unseen", role: "status" });
  const box = h(
    "div",
    { class: "search", role: "search" },
    h("label", { class: "unseen", for: "search" }, "Search operations, members, headers and errors"),
    icon("search"),
    input,
    h("kbd", { "aria-hidden": "true" }, "/"),
    list,
    status,
  );

  function show() {
    const found = input.value.trim() === "" ? [] : matches(entries, input.value);
    list.replaceChildren(...found.slice(0, shownMax).map(item));
    status.textContent = input.value.trim() === "" ? "" : `${found.length} found`;
    if (input.value.trim() !== "" && found.length === 0) list.append(h("li", "none", "Nothing found"));
  }
  function close() {
    input.value = "";
    show();
  }
  input.addEventListener("input", show);
  list.addEventListener("click", close);
  box.addEventListener("keydown", (event) => {
    const links = [input, ...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement as HTMLInputElement);
    if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp") links[Math.max(at - 1, 0)]?.focus();
    else if (event.key === "Enter" && document.activeElement === input) list.querySelector("a")?.click();
    else if (event.key === "Escape") {
      close();
      input.focus();
    } else return;
    event.preventDefault();
  });
  box.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && box.contains(relatedTarget))) list.replaceChildren();
  });
  input.addEventListener("focus", show);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    input.focus();
  });
  return box;
}

function matches(entries: readonly Found[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  // A match at the beginning of a name is usually the wanted one.
  const starts = ({ text }: Found) => Number(text.toLowerCase().startsWith(words[0] ?? ""));
  return found.sort((a, b) => starts(b) - starts(a));
}

function item({ id, text }: Found): HTMLElement {
  const [name = "", where = ""] = text.split(" · ");
  return h("li", {}, h("a", { href: `#${id}` }, h("span", {}, name), h("span", "hint", where)));
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}
