import { describe, expect, test } from "bun:test";
import { document } from "./document.ts";
import { downgrade } from "./downgrade.ts";
import type { Document, MediaType, Operation } from "./model/openapi.ts";
import { ownFindings } from "./rules.ts";

const good = document();

test("nothing is found in the documents", () => {
  expect(ownFindings(good)).toEqual([]);
  expect(ownFindings(downgrade(good))).toEqual([]);
});

type Spoil = (parts: {
  all: Document;
  tickets: Operation;
  request: MediaType;
  schemas: Document["components"]["schemas"];
}) => unknown;

describe("found is", () => {
  const cases: Record<string, Spoil> = {
    "createTicket has Authorization as a parameter": ({ tickets }) =>
      tickets.parameters?.push({ name: "Authorization", in: "header", required: true, description: "", schema: {} }),
    "createTicket takes not exactly one media type": ({ tickets, request }) =>
      Object.assign(tickets.requestBody?.content ?? {}, { "text/json": request }),
    "createTicket takes members that the document does not name": ({ schemas }) =>
      Object.assign(schemas["CreateTicket"] ?? {}, { additionalProperties: true }),
    "createTicket has no example of a request": ({ request }) => Object.assign(request, { examples: {} }),
    "createTicket 429 has no Retry-After": ({ tickets }) => delete tickets.responses["429"]?.headers?.["Retry-After"],
    "createTicket 400 has no list of codes": ({ schemas }) =>
      delete schemas["CreateTicketBadRequest"]?.properties?.["error"]?.enum,
    "createTicket 201 is closed: members could not be added": ({ schemas }) =>
      delete schemas["Ticket"]?.additionalProperties,
    "createTicket 201 has no example": ({ tickets }) =>
      Object.assign(tickets.responses["201"]?.content?.["application/json"] ?? {}, { examples: {} }),
    "createTicket 201 has not exactly one media type": ({ tickets, request }) =>
      Object.assign(tickets.responses["201"]?.content ?? {}, { "text/json": request }),
    "uses nullable": ({ schemas }) => Object.assign(schemas["Ticket"] ?? {}, { nullable: true }),
    "uses anyOf": ({ schemas }) => Object.assign(schemas["Ticket"] ?? {}, { anyOf: [{ const: 1 }] }),
    "uses const": ({ schemas }) => Object.assign(schemas["Ticket"] ?? {}, { const: 1 }),
    "uses $id": ({ schemas }) => Object.assign(schemas["Ticket"] ?? {}, { $id: "Ticket" }),
  };
  for (const [finding, spoil] of Object.entries(cases)) {
    test(finding, () => {
      const all = JSON.parse(JSON.stringify(good)) as Document;
      const tickets = all.paths["/api/v1/tickets"]?.post as Operation;
      const request = tickets.requestBody?.content["application/json"] as MediaType;
      spoil({ all, tickets, request, schemas: all.components.schemas });
      expect(ownFindings(all)).toContain(finding);
    });
  }
});

test("encoding is found in a document of 3.0", () => {
  expect(ownFindings({ ...good, openapi: "3.0.3" })).toContain("uses encoding");
});
