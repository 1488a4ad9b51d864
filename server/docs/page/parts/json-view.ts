import { h } from "./dom.ts";

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON in colours; text that is not JSON stays as it is. */
export function jsonView(text: string): HTMLElement {
  const pretty = prettyJson(text);
  const view = codeView();
  view.className = "json";
  if (pretty === undefined) {
    view.append(text);
    return view;
  }
  let end = 0;
  for (const match of pretty.matchAll(token)) {
    const [whole, string, colon] = match;
    const shown = string ?? whole;
    const kind = string === undefined ? "literal" : colon === undefined ? "string" : "name";
    view.append(pretty.slice(end, match.index), h("span", kind, shown));
    end = match.index + shown.length;
  }
  view.append(pretty.slice(end));
  return view;
}

/** Code scrolls by itself, so the keyboard must be able to reach it. */
export function codeView(text = ""): HTMLElement {
  return h("pre", { tabindex: 0 }, text);
}

function prettyJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}
