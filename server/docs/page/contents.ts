import { button, h } from "./parts/dom.ts";

export interface Group {
  title: string;
  sections: readonly HTMLElement[];
}

/** The list of sections, marking the one in view. */
export function contents(groups: readonly Group[]): HTMLElement {
  const links = new Map<Element, HTMLAnchorElement>();
  const lists = groups.map(({ title, sections }) => {
    const items = sections.map((section) => {
      const link = linkTo(section);
      links.set(section, link);
      return h("li", {}, link);
    });
    return h("div", {}, h("h2", "group", title), h("ul", {}, ...items));
  });
  const nav = h("nav", { id: "contents", "aria-label": "Contents" }, ...lists);
  markInView(links);
  nav.addEventListener("click", ({ target }) => {
    if (target instanceof HTMLAnchorElement) nav.classList.remove("open");
  });
  return nav;
}

/** Opens the list on windows that have no room to show it always. */
export function contentsButton(nav: HTMLElement): HTMLElement {
  const toggle = button(
    { class: "small menu", "aria-controls": nav.id, "aria-expanded": "false" },
    () => {
      nav.classList.toggle("open");
    },
    "Contents",
  );
  const observer = new MutationObserver(() => {
    toggle.setAttribute("aria-expanded", String(nav.classList.contains("open")));
  });
  observer.observe(nav, { attributeFilter: ["class"] });
  return toggle;
}

function linkTo({ id, dataset }: HTMLElement): HTMLAnchorElement {
  const method = dataset["method"];
  return h(
    "a",
    { href: `#${id}` },
    method === undefined ? undefined : h("span", `method ${method.toLowerCase()}`, method),
    dataset["nav"],
  );
}

function markInView(links: ReadonlyMap<Element, HTMLAnchorElement>) {
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) links.get(target)?.setAttribute("aria-current", "location");
        else links.get(target)?.removeAttribute("aria-current");
      }
    },
    // A line near the top of the window, which one section crosses at a time.
    { rootMargin: "-20% 0px -80% 0px" },
  );
  for (const section of links.keys()) observer.observe(section);
}
