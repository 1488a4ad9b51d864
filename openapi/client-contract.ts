import { type Document, type Operation, operationsOf, resolved, type Schema } from "./model/openapi.ts";

/**
 * The parts of the document that the SDK needs at run time, as TypeScript: one constant each, so that a bundler leaves
 * out the unused ones.
 */
export function clientContract(document: Document): string {
  const operations = operationsOf(document).flatMap(({ path, method, operation }) => {
    const codes = codesByStatus(document, operation);
    return [
      constant(operation.operationId, operationConstant(document, path, method, operation)),
      ...(Object.keys(codes).length === 0 ? [] : [constant(`${operation.operationId}Errors`, codes)]),
    ];
  });
  return [...operations, ...limitConstants(document)].join("\n");
}

function operationConstant(document: Document, path: string, method: string, operation: Operation) {
  const [[status, answer] = []] = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
  const success = Object.values(answer?.content ?? {})[0]?.schema;
  if (status === undefined || success === undefined) throw new Error(`${operation.operationId} answers no success`);
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {});
  const { properties = {}, required = [] } = resolved(document.components.schemas, success);
  // How the SDK recognises an answer of Intake: by the request id, or else by a member that every such answer has. A
  // proxy or the sign-in page of a hotel answers without either.
  const id = required.find((name) => properties[name]?.format === "uuid") ?? required[0];
  return {
    method: method.toUpperCase(),
    path,
    ...(mediaType === undefined ? {} : { mediaType }),
    status: Number(status),
    id,
  };
}

function codesByStatus(document: Document, { responses }: Operation): Record<string, unknown> {
  const codes = Object.entries(responses).flatMap(([status, { content }]) => {
    const schema = content?.["application/json"]?.schema;
    const values = schema && resolved(document.components.schemas, schema).properties?.["error"]?.enum;
    return values ? [[status, values] as const] : [];
  });
  return Object.fromEntries(codes);
}

function limitConstants(document: Document): string[] {
  const { createTicket, submitReport } = Object.fromEntries(
    operationsOf(document).map(({ operation }) => [operation.operationId, operation]),
  );
  const key = document.components.parameters["IdempotencyKey"]?.schema;
  const ticket = Object.values(createTicket?.requestBody?.content ?? {})[0]?.schema;
  if (!key || !ticket || !submitReport?.["x-limits"])
    throw new Error("the document lacks what the limits are read from");
  return [
    ...lengths("idempotencyKey", key),
    ...Object.entries(resolved(document.components.schemas, ticket).properties ?? {}).flatMap(([name, schema]) =>
      lengths(name, schema),
    ),
    ...Object.entries(submitReport["x-limits"]).map(([name, max]) => constant(`${name}Max`, max)),
  ];
}

function lengths(name: string, { minLength, maxLength }: Schema): string[] {
  return [
    ...(minLength === undefined ? [] : [constant(`${name}Min`, minLength)]),
    ...(maxLength === undefined ? [] : [constant(`${name}Max`, maxLength)]),
  ];
}

/** Names are written without quotes, because code looks statuses up as numbers. */
function constant(name: string, value: unknown): string {
  const text = JSON.stringify(value).replace(/"(\w+)":/g, "$1:");
  return `export const ${name} = ${text}${typeof value === "object" ? " as const" : ""};\n`;
}
