import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Schema } from "../../openapi/model/openapi.ts";

/** The faults of a value by a schema of the document, a line each. */
export function validatorOf(document: object): (schema: Schema, value: unknown) => string[] {
  // OpenAPI has keywords that JSON Schema does not know, such as `x-limits` and the format `binary`.
  const ajv = new Ajv2020({ strict: false, allErrors: true });
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
