type Attributes = Record<string, string | number | boolean | undefined>;
export type Child = Node | string | undefined;

/** Makes an element; a string instead of attributes is its class. Text stays text: HTML is never parsed. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes | string = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  const given = typeof attributes === "string" ? { class: attributes } : attributes;
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** A button that does not submit a form. */
export function button(attributes: Attributes | string, onClick: () => void, ...children: Child[]): HTMLButtonElement {
  const element = h("button", attributes, ...children);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}

const svg = "http://www.w3.org/2000/svg";

/** A symbol of the page's own sheet of symbols. */
export function icon(name: string): SVGSVGElement {
  const element = document.createElementNS(svg, "svg");
  element.setAttribute("class", "icon");
  element.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(svg, "use");
  use.setAttribute("href", `#icon-${name}`);
  element.append(use);
  return element;
}
