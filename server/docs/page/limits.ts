import type { Api, Operation, Schema } from "./parts/api.ts";
import { contentOf } from "./parts/api.ts";
import { type Child, h } from "./parts/dom.ts";
import { count } from "./parts/prose.ts";
import { factsOf } from "./parts/schema-facts.ts";

const words: Record<string, [what: string, unit: string]> = {
  requestBytes: ["Whole request", "bytes"],
  envelopeBytes: ["Envelope, unpacked", "bytes"],
  files: ["Parts, the envelope among them", "parts"],
};

/** The limits that the document states, in one table. */
export function limitSection({ operations }: Api): HTMLElement {
  const rows = operations.flatMap((operation) => [...sizeRows(operation), ...valueRows(operation)]);
  return h(
    "section",
    { id: "limits", "data-nav": "Limits", "data-find": "Limits · sizes, lengths" },
    h("h2", {}, "Limits"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Limits" }, table(rows)),
  );
}

type Row = [operation: Operation, what: Child, limit: string];

function sizeRows(operation: Operation): Row[] {
  return Object.entries(operation["x-limits"] ?? {}).map(([name, value]) => {
    const [what, unit] = words[name] ?? [name, ""];
    const mebibytes = unit === "bytes" ? ` (${value / 2 ** 20} MiB)` : "";
    return [operation, what, `${count(value)} ${unit}${mebibytes}`];
  });
}

function valueRows(operation: Operation): Row[] {
  const body = contentOf(operation.requestBody)?.[1].schema.properties ?? {};
  const headers = (operation.parameters ?? []).map(({ name, schema }): [string, Schema] => [name, schema]);
  return [...Object.entries(body), ...headers].flatMap(([name, schema]) =>
    schema.maxLength === undefined ? [] : [[operation, h("code", {}, name), factsOf(schema)[0] ?? ""] as Row],
  );
}

function table(rows: readonly Row[]): HTMLElement {
  const head = ["Operation", "What", "Limit"].map((name) => h("th", { scope: "col" }, name));
  const body = rows.map(([operation, what, limit]) =>
    h(
      "tr",
      {},
      h("td", {}, h("a", { href: `#${operation.operationId}` }, operation.summary)),
      h("td", {}, what),
      h("td", {}, limit),
    ),
  );
  return h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
}
