import { describe, expect, test } from "bun:test";
import { document } from "../document.ts";
import { type Document, messagesOf, type Schema } from "../model/openapi.ts";
import { breaks } from "./breaks.ts";

const before = copy(document());

function copy(given: Document): Document {
  return JSON.parse(JSON.stringify(given)) as Document;
}

/** The findings when the later document differs from the earlier one by this change. */
function found(change: (later: Changeable) => void): string[] {
  const later = copy(before);
  change(handles(later));
  return breaks(before, later);
}

interface Changeable {
  all: Document;
  tickets: NonNullable<NonNullable<Document["paths"][string]>["post"]>;
  reports: Changeable["tickets"];
  told: Schema;
  schema(name: string): Schema & { properties: Record<string, Schema>; required: string[] };
}

function handles(all: Document): Changeable {
  const post = (path: string) => {
    const operation = all.paths[path]?.post;
    if (!operation) throw new Error(`no POST ${path}`);
    return operation;
  };
  const [message] = Object.values(messagesOf(all)["report.received"]?.requestBody?.content ?? {});
  return {
    all,
    told: message?.schema ?? {},
    tickets: post("/api/v1/tickets"),
    reports: post("/api/ingest"),
    schema: (name) => all.components.schemas[name] as ReturnType<Changeable["schema"]>,
  };
}

test("nothing is found where nothing changed", () => {
  expect(found(() => {})).toEqual([]);
});

describe("a break", () => {
  const cases: Record<string, [(later: Changeable) => void, string]> = {
    "an operation is removed": [({ all }) => delete all.paths["/livez"], "GET /livez: is gone"],
    "a webhook is removed": [({ all }) => delete all.webhooks?.["report.received"], "webhook report.received: is gone"],
    "a message lacks a member": [
      ({ told }) => delete told.properties?.["data"]?.properties?.["title"],
      "webhook report.received/data/title: is gone",
    ],
    "an operation has another id": [
      ({ tickets }) => Object.assign(tickets, { operationId: "makeTicket" }),
      "POST /api/v1/tickets: its operationId is another one",
    ],
    "an operation wants another credential": [
      ({ tickets }) => Object.assign(tickets, { security: [{ sdkKey: [] }] }),
      "POST /api/v1/tickets: its credential is another one",
    ],
    "a limit is lower": [
      ({ reports }) => Object.assign(reports["x-limits"] ?? {}, { files: 5 }),
      "POST /api/ingest: the limit files is lower or gone",
    ],
    "a header of the request is no longer known": [
      ({ tickets }) => delete tickets.parameters,
      "POST /api/v1/tickets Idempotency-Key: is gone",
    ],
    "a header of the request must be shorter": [
      ({ all }) => Object.assign(all.components.parameters["IdempotencyKey"]?.schema ?? {}, { maxLength: 64 }),
      "POST /api/v1/tickets Idempotency-Key: maxLength is 64 now",
    ],
    "a header of the request is required": [
      ({ all }) => Object.assign(all.components.parameters["IdempotencyKey"] ?? {}, { required: true }),
      "POST /api/v1/tickets Idempotency-Key: is required now",
    ],
    "a body is required": [
      ({ all, tickets }) => Object.assign(all.paths["/livez"]?.get ?? {}, { requestBody: tickets.requestBody }),
      "GET /livez: a body is required now",
    ],
    "a media type is no longer taken": [
      ({ tickets }) => delete tickets.requestBody?.content["application/json"],
      "POST /api/v1/tickets: application/json is no longer taken",
    ],
    "a member is no longer taken": [
      ({ schema }) => delete schema("CreateTicket").properties["dueAt"],
      "POST /api/v1/tickets body/dueAt: is no longer taken",
    ],
    "a new member must be sent": [
      ({ schema }) => schema("CreateTicket").required.push("team"),
      "POST /api/v1/tickets body/team: is required now",
    ],
    "a member must be longer": [
      ({ schema }) => Object.assign(schema("CreateTicket").properties["title"] ?? {}, { minLength: 2 }),
      "POST /api/v1/tickets body/title: minLength is 2 now",
    ],
    "a member may be less long": [
      ({ schema }) => Object.assign(schema("CreateTicket").properties["description"] ?? {}, { maxLength: 200 }),
      "POST /api/v1/tickets body/description: maxLength is 200 now",
    ],
    "a member may no longer be null": [
      ({ schema }) => Object.assign(schema("CreateTicket").properties["dueAt"] ?? {}, { type: "string" }),
      "POST /api/v1/tickets body/dueAt: null is no longer taken",
    ],
    "a value of a member is no longer taken": [
      ({ schema }) => schema("CreateTicket").properties["priority"]?.enum?.pop(),
      "POST /api/v1/tickets body/priority: the value high is no longer taken",
    ],
    "a member takes a list of values only": [
      ({ schema }) => Object.assign(schema("CreateTicket").properties["title"] ?? {}, { enum: ["a"] }),
      "POST /api/v1/tickets body/title: no longer takes any value",
    ],
    "a member must have a form": [
      ({ schema }) => Object.assign(schema("CreateTicket").properties["title"] ?? {}, { pattern: "^A" }),
      "POST /api/v1/tickets body/title: pattern is new or another one",
    ],
    "the envelope is closed": [
      ({ schema }) => Object.assign(schema("ReportEnvelope"), { additionalProperties: false }),
      "ReportEnvelope: further members are no longer taken",
    ],
    "a part of the envelope is narrower": [
      ({ schema }) => Object.assign(schema("AttachmentReference").properties["size"] ?? {}, { maximum: 10 }),
      "ReportEnvelope/attachments/*/size: maximum is 10 now",
    ],
    "items are no longer of any kind": [
      ({ schema }) =>
        Object.assign(schema("ReportEnvelope").properties["breadcrumbs"]?.items ?? {}, { type: "string" }),
      "ReportEnvelope/breadcrumbs/*: only string is taken",
    ],
    "an answer is gone": [({ tickets }) => delete tickets.responses["404"], "POST /api/v1/tickets 404: is gone"],
    "an answer has another media type": [
      ({ tickets }) => delete tickets.responses["201"]?.content?.["application/json"],
      "POST /api/v1/tickets 201: is no longer application/json",
    ],
    "a header of an answer is gone": [
      ({ tickets }) => delete tickets.responses["201"]?.headers?.["Location"],
      "POST /api/v1/tickets 201 Location: is gone",
    ],
    "a header of an answer may be absent": [
      ({ all }) => Object.assign(all.components.headers["Location"] ?? {}, { required: false }),
      "POST /api/v1/tickets 201 Location: may be absent now",
    ],
    "a member of an answer is gone": [
      ({ schema }) => delete schema("Ticket").properties["url"],
      "POST /api/v1/tickets 201/url: is gone",
    ],
    "a member of an answer may be absent": [
      ({ schema }) => schema("Received").required.pop(),
      "POST /api/ingest 200/idempotent: may be absent now",
    ],
    "a member of an answer may be null": [
      ({ schema }) => Object.assign(schema("Ticket").properties["url"] ?? {}, { type: ["string", "null"] }),
      "POST /api/v1/tickets 201/url: may be null now",
    ],
    "a member of an answer has no type": [
      ({ schema }) => delete schema("Ticket").properties["title"]?.type,
      "POST /api/v1/tickets 201/title: may be anything now",
    ],
    "a member of an answer has another format": [
      ({ schema }) => Object.assign(schema("Ticket").properties["createdAt"] ?? {}, { format: "date" }),
      "POST /api/v1/tickets 201/createdAt: the format is another one",
    ],
    "an error code is gone": [
      ({ schema }) => schema("CreateTicketNotFound").properties["error"]?.enum?.shift(),
      "POST /api/v1/tickets 404/error: the value project_not_found is gone",
    ],
    "items of an answer are of any kind": [
      ({ schema }) => delete schema("Received").properties["warnings"]?.items,
      "POST /api/ingest 200/warnings/*: items is gone",
    ],
    "a schema has another name": [
      ({ all }) => {
        delete all.components.schemas["NotReady"];
        delete all.paths["/readyz"];
      },
      "schema NotReady: is gone",
    ],
  };
  for (const [name, [change, finding]] of Object.entries(cases)) {
    test(name, () => expect(found(change)).toContain(finding));
  }
});

describe("no break", () => {
  const cases: Record<string, (later: Changeable) => void> = {
    "a new operation": ({ all, tickets }) => Object.assign(all.paths, { "/api/v1/boards": { post: tickets } }),
    "a new member that need not be sent": ({ schema }) =>
      Object.assign(schema("CreateTicket").properties, { team: { type: "string" } }),
    "a new member of an answer": ({ schema }) => {
      schema("Ticket").properties["number"] = { type: "integer" };
      schema("Ticket").required.push("number");
    },
    "a new error code": ({ schema }) =>
      schema("CreateTicketNotFound").properties["error"]?.enum?.push("team_not_found"),
    "a new answer": ({ tickets }) => Object.assign(tickets.responses, { 409: { description: "Another one." } }),
    "a member may be longer": ({ schema }) =>
      Object.assign(schema("CreateTicket").properties["title"] ?? {}, { maxLength: 500 }),
    "a member may be null": ({ schema }) =>
      Object.assign(schema("CreateTicket").properties["projectId"] ?? {}, { type: ["string", "null"] }),
    "a member may have more values": ({ schema }) =>
      schema("CreateTicket").properties["priority"]?.enum?.push("urgent"),
    "a member may be of any type": ({ schema }) => delete schema("CreateTicket").properties["title"]?.type,
    "a limit is higher": ({ reports }) => Object.assign(reports["x-limits"] ?? {}, { files: 12 }),
    "other words": ({ tickets }) => Object.assign(tickets, { summary: "Make a ticket" }),
  };
  for (const [name, change] of Object.entries(cases)) test(name, () => expect(found(change)).toEqual([]));
});
