import { type Child, h } from "../parts/dom.ts";

/** A control with its label; the id ties them together. */
export function field(label: string, control: HTMLElement, ...beside: Child[]): HTMLElement {
  return h("div", "field", h("label", { for: control.id }, label), h("div", "control", control, ...beside));
}

export function select(id: string, options: readonly [value: string, label: string][]): HTMLSelectElement {
  return h("select", { id }, ...options.map(([value, label]) => h("option", { value }, label)));
}
