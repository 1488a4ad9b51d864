import { type Answer, type Api, contentOf, type Operation } from "./parts/api.ts";
import { h } from "./parts/dom.ts";
import { jsonView } from "./parts/json-view.ts";
import { inline } from "./parts/prose.ts";
import { kindOf } from "./parts/statuses.ts";

interface ErrorCode {
  code: string;
  sentence: string;
  example: unknown;
}

/** The error codes of an answer. Its description has a paragraph for each: the code and its sentence. */
export function codesOf(answer: Answer): ErrorCode[] {
  const media = contentOf(answer)?.[1];
  const examples = Object.values(media?.examples ?? {});
  const sentences = new Map(
    answer.description.split("\n\n").map((paragraph) => {
      const [, code = "", sentence = ""] = /^`(\w+)`: (.*)$/s.exec(paragraph) ?? [];
      return [code, sentence];
    }),
  );
  return (media?.schema.properties?.["error"]?.enum ?? []).map((code) => {
    const example = examples.find(({ value }) => (value as { error?: string }).error === code);
    return { code, sentence: sentences.get(code) ?? "", example: example?.value };
  });
}

interface Returned extends ErrorCode {
  status: string;
  by: Operation[];
}

/** All error codes of the API in one list, which a code in a log can link to. */
export function errorSection(api: Api): HTMLElement {
  const returned = new Map<string, Returned>();
  for (const operation of api.operations) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      for (const found of codesOf(answer)) {
        const entry = returned.get(found.code) ?? { ...found, status, by: [] };
        entry.by.push(operation);
        returned.set(found.code, entry);
      }
    }
  }
  const sorted = [...returned.values()].sort((a, b) => a.status.localeCompare(b.status));
  return h(
    "section",
    { id: "errors", "data-nav": "Errors" },
    h("h2", {}, "Errors"),
    h("p", "prose", "Programs decide by the code in ", h("code", {}, "error"), "; the sentence is for people."),
    h("ul", "errors", ...sorted.map(errorItem)),
  );
}

function errorItem({ code, status, sentence, by, example }: Returned): HTMLElement {
  const links = by.flatMap((operation, index) => [
    index === 0 ? "" : ", ",
    h("a", { href: `#${operation.operationId}-${status}` }, operation.summary),
  ]);
  return h(
    "li",
    { id: `error-${code}`, "data-find": `${code} · error ${status}` },
    h(
      "div",
      "member",
      h("a", { href: `#error-${code}` }, h("code", {}, code)),
      h("span", `status ${kindOf(status)}`, status),
    ),
    h("p", {}, ...inline(sentence)),
    h("p", "facts", "From ", ...links),
    jsonView(JSON.stringify(example)),
  );
}
