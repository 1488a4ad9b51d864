import { expect, test } from "bun:test";
import { document } from "./document.ts";
import { downgrade } from "./downgrade.ts";
import { jsonText } from "./json.ts";
import { type Document, operationsOf, type Schema } from "./model/openapi.ts";

const latest = JSON.parse(jsonText(document())) as Document;
const older = JSON.parse(jsonText(downgrade(latest))) as Document;
test("both have the same operations, parameters, answers, headers, examples and credentials", () => {
  const outline = (from: Document) =>
    operationsOf(from).map(({ path, method, operation: { servers: _, requestBody, responses, ...operation } }) => ({
      path,
      method,
      operation,
      body: contents(requestBody?.content),
      answers: Object.entries(responses).map(([status, { content, ...answer }]) => [status, answer, contents(content)]),
    }));
  expect(outline(older)).toEqual(outline(latest));
  expect(older.components.securitySchemes).toEqual(latest.components.securitySchemes);
  expect(older.servers).toEqual(latest.servers);
  expect(older.tags).toEqual(latest.tags.filter(({ name }) => name !== "Webhooks"));
});

test("the operations of the two APIs name their address in 3.1, and none does in 3.0", () => {
  const naming = (document: Document) =>
    operationsOf(document).flatMap(({ operation }) => (operation.servers ? [operation.operationId] : []));
  expect(naming(latest).sort()).toEqual(["createTicket", "submitReport"]);
  expect(naming(older)).toEqual([]);
  for (const document of [latest, older])
    expect(document.servers.map(({ url }) => url)).toEqual(["http://127.0.0.1:3000"]);
});

test("webhooks are left out", () => {
  expect(Object.keys(latest.webhooks ?? {})).toContain("report.received");
  expect([older.webhooks, older.components.pathItems]).toEqual([undefined, undefined]);
});

test("both have the same schemas, in the words of each", () => {
  const { schemas, headers, parameters } = older.components;
  expect(upgraded(schemas)).toEqual(said(latest.components.schemas));
  expect(upgraded(headers)).toEqual(latest.components.headers);
  expect(upgraded(parameters)).toEqual(latest.components.parameters);
});

test("what can be null can be null in both", () => {
  const { dueAt, title } = older.components.schemas["CreateTicket"]?.properties ?? {};
  expect([dueAt?.type, dueAt?.nullable, title?.nullable]).toEqual(["string", true, undefined]);
});

test("no word of 3.1 is left", () => {
  const words = JSON.stringify({ ...older, paths: operationsOf(older).map(({ operation }) => without(operation)) });
  for (const word of ['"type":[', '"encoding"', '"propertyNames"', '"const"', '"$schema"']) {
    expect(words).not.toContain(word);
  }
});

function contents(content: Record<string, { examples: unknown; schema: Schema }> = {}) {
  return Object.entries(content).map(([type, { examples, schema }]) => [type, examples, schema]);
}

/** Leaves out the examples, whose values may contain any word. */
function without(operation: object): unknown {
  return JSON.parse(JSON.stringify(operation), (name, value) => (name === "examples" ? undefined : value));
}

function upgraded(value: object): unknown {
  return JSON.parse(JSON.stringify(value), (_, member) => {
    if (!member?.nullable) return member;
    const { nullable: __, type, ...rest } = member as Schema;
    return { ...rest, type: [type, "null"] };
  });
}

/** Leaves out `propertyNames`, the one keyword that 3.0 does not have. */
function said(value: object): unknown {
  return JSON.parse(JSON.stringify(value), (name, member) => (name === "propertyNames" ? undefined : member));
}
