import { expect, test } from "bun:test";
import { operationsOf } from "../../openapi/openapi.ts";
import { errors } from "../../openapi/schema/errors.ts";
import { operationErrors } from "../../openapi/schema/operations.ts";
import type { Edge } from "../../server/http/edge.ts";
import { healthRoutes } from "../../server/http/health.ts";
import type { IngestTools } from "../../server/ingest/route.ts";
import { routesOf } from "../../server/ops/routes.ts";
import { document } from "../support/documented.ts";

/** Not for clients: pages, what the dashboard calls, the documents themselves, and what browsers ask before a POST. */
const others = /^(\w+ \/(docs|setup|internal|files)(\/|$)|GET \/openapi(\.3\.0)?\.json$|OPTIONS \/api\/ingest$)/;

test("the routes of the server are the operations of the document", () => {
  // Nothing of these is touched before a request.
  const edge = {} as Edge;
  const apps = [healthRoutes(edge), ...routesOf(edge, {} as IngestTools, () => undefined, undefined)];
  const served = apps.flatMap(({ routes }) => routes.map(({ method, path }) => `${method} ${path}`));
  const described = operationsOf(document).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(served.filter((route) => !others.test(route)).sort()).toEqual(described.sort());
});

test("every code of the list stands in the document with its status, and no other", () => {
  for (const { operation } of operationsOf(document)) {
    const found = Object.entries(operation.responses).flatMap(([status, { content }]) => {
      const name = content?.["application/json"]?.schema.$ref?.split("/").at(-1) ?? "";
      const codes = document.components.schemas[name]?.properties?.["error"]?.enum ?? [];
      return codes.map((code) => `${status} ${code}`);
    });
    const listed = operationErrors[operation.operationId as keyof typeof operationErrors];
    expect(found.sort()).toEqual(listed.map((code) => `${errors[code].status} ${code}`).sort());
  }
});
