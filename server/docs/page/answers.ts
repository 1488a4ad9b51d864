import { codesOf } from "./error-codes.ts";
import { type Answer, contentOf, type Operation } from "./parts/api.ts";
import { h } from "./parts/dom.ts";
import { jsonView } from "./parts/json-view.ts";
import { memberList, membersOf } from "./parts/members.ts";
import { inline, prose } from "./parts/prose.ts";
import { kindOf, phraseOf } from "./parts/statuses.ts";

/** Every answer of an operation by status; only the successful one is unfolded. */
export function answerList(operation: Operation): HTMLElement {
  const answers = Object.entries(operation.responses).map(([status, answer]) => answerItem(operation, status, answer));
  return h("div", "answers", ...answers);
}

function answerItem(operation: Operation, status: string, answer: Answer): HTMLElement {
  const id = `${operation.operationId}-${status}`;
  const where = `${operation.summary}, ${status}`;
  const codes = codesOf(answer);
  const [mediaType, media] = contentOf(answer) ?? [];
  const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => ({ name, ...header }));
  const always = headers.map((header) => ({ ...header, required: false }));
  return h(
    "details",
    { id, class: "answer", open: kindOf(status) === "ok", "data-find": `${status} ${phraseOf(status)} · ${where}` },
    h(
      "summary",
      {},
      h("span", `status ${kindOf(status)}`, status),
      h("span", "phrase", phraseOf(status)),
      h("span", "hint", codes.map(({ code }) => code).join(" ")),
    ),
    ...(codes.length > 0 ? [errorTable(codes)] : prose(answer.description)),
    ...(media ? [h("h4", {}, "Body ", h("span", "hint", mediaType ?? ""))] : []),
    media ? memberList(id, where, membersOf(media.schema)) : undefined,
    ...Object.values(media?.examples ?? {}).map(({ summary, value }) =>
      h("figure", {}, h("figcaption", {}, ...inline(summary)), jsonView(JSON.stringify(value))),
    ),
    ...(headers.length > 0 ? [h("h4", {}, "Headers"), memberList(`${id}-header`, where, always)] : []),
  );
}

function errorTable(codes: ReturnType<typeof codesOf>): HTMLElement {
  const rows = codes.flatMap(({ code, sentence }) => [
    h("dt", {}, h("a", { href: `#error-${code}` }, h("code", {}, code))),
    h("dd", {}, ...inline(sentence)),
  ]);
  return h("dl", "codes", ...rows);
}
