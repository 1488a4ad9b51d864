import { h } from "./dom.ts";

/** The paragraphs of a description; text in backticks becomes code. */
export function prose(text = ""): HTMLElement[] {
  return text.split("\n\n").map((paragraph) => h("p", "prose", ...inline(paragraph)));
}

export function inline(text: string): (HTMLElement | string)[] {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));
}

export function count(value: number): string {
  return value.toLocaleString("en");
}
