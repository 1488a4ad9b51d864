import { h } from "../parts/dom.ts";
import { jsonView } from "../parts/json-view.ts";
import { count } from "../parts/prose.ts";
import { kindOf, phraseOf } from "../parts/statuses.ts";
import type { Sent } from "./send.ts";

/** The answer to a sent request: status, time, headers and body. An error code links to its explanation. */
export function sentView({ status, milliseconds, headers, text }: Sent): HTMLElement {
  const code = codeOf(text);
  const known = code !== undefined && document.getElementById(`error-${code}`) !== null;
  return h(
    "div",
    "sent",
    h(
      "p",
      "receipt",
      h("span", `status ${kindOf(status)}`, String(status)),
      h("strong", {}, phraseOf(status)),
      h("span", {}, `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`),
      h("span", {}, `${count(new Blob([text]).size)} bytes`),
    ),
    known ? h("p", {}, h("a", { href: `#error-${code}` }, "What ", h("code", {}, code), " means")) : undefined,
    text === "" ? undefined : jsonView(text),
    h("details", {}, h("summary", {}, `${headers.length} headers`), headerList(headers)),
  );
}

function codeOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

function headerList(headers: Sent["headers"]): HTMLElement {
  return h("dl", "headers", ...headers.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
