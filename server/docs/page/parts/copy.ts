import { button, icon } from "./dom.ts";

const shownMilliseconds = 1_500;

/** Copies what `text` returns at that moment, and says so only when that worked. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const word = document.createTextNode("Copy");
  const element = button({ class: "small", "aria-label": label }, copyNow, icon("copy"), word);
  async function copyNow() {
    word.data = (await copied(text())) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => {
      word.data = "Copy";
    }, shownMilliseconds);
  }
  return element;
}

/** Without https there is only the old copy command. */
async function copied(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const field = document.createElement("textarea");
  field.value = text;
  const before = document.activeElement;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
