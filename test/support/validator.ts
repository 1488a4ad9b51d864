import type { Schema } from "../../openapi/model/openapi.ts";

/**
 * The faults of a value by a schema of the document, a line each. Nothing is loaded or prepared before the first value:
 * half of the test files that could check one never do.
 */
export function validatorOf(document: object): (schema: Schema, value: unknown) => string[] {
  let check: ReturnType<typeof prepare> | undefined;
  return (schema, value) => {
    check ??= prepare(document);
    return check(schema, value);
  };
}

function prepare(document: object): (schema: Schema, value: unknown) => string[] {
  const { Ajv2020 } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  const addFormats = require("ajv-formats") as typeof import("ajv-formats");
  // OpenAPI has keywords that JSON Schema does not know, such as `x-limits` and the format `binary`. The schemas
  // themselves are checked once, by `document-routes.test.ts`.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addFormat("binary", true);
  ajv.addSchema(document, "document");
  const compile = (schema: Schema) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
  // Compiling takes far longer than checking, so a schema is compiled once.
  const compiled = new Map<Schema, ReturnType<typeof compile>>();
  return (schema, value) => {
    const check = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, check);
    check(value);
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  };
}
