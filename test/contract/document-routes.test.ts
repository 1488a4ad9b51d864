import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { operationsOf } from "../../openapi/model/openapi.ts";
import { errors } from "../../openapi/schema/errors.ts";
import { operationErrors } from "../../openapi/schema/operations.ts";
import { pages } from "../../server/dashboard/pages.ts";
import { document } from "../support/documented.ts";
import { allRoutes } from "../support/routes.ts";

/**
 * Routes that are not for clients: the calls of the dashboard, the documents themselves, the SDK, what identity providers call, and the
 * requests of browsers before a POST.
 */
const others =
  /^(\w+ \/(docs|sdk|internal|files|assets|mcp)(\/|$)|\w+ \/sign-in\/(callback|logout)\/|GET \/openapi(\.3\.0)?\.json$|OPTIONS \/api\/ingest$)/;
const pagePaths = new Set<string>(pages.map(({ path }) => path));

test("the routes of the server are the operations of the document", () => {
  const served = allRoutes()
    .filter(({ path }) => !pagePaths.has(path))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
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

test("every schema of the document keeps the rules of JSON Schema", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const bodies = operationsOf(document).flatMap(({ operation: { requestBody, responses } }) =>
    [requestBody, ...Object.values(responses)].flatMap((body) => Object.values(body?.content ?? {})),
  );
  const schemas = [...Object.values(document.components.schemas), ...bodies.map(({ schema }) => schema)];
  expect(schemas.length).toBeGreaterThan(50);
  const faulty = schemas.filter((schema) => ajv.validateSchema(schema) !== true);
  expect(faulty).toEqual([]);
});
