/** The part of OpenAPI that the documents use, 3.1 and 3.0 alike. */
export interface Document {
  openapi: string;
  info: { title: string; version: string; [member: string]: unknown };
  tags: { name: string; description: string }[];
  servers: Server[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  /** Messages that subscribers receive; OpenAPI 3.0 cannot express them. */
  webhooks?: Record<string, Reference>;
  components: Components;
}

export interface Components {
  schemas: Record<string, Schema>;
  headers: Record<string, Header>;
  parameters: Record<string, Parameter>;
  securitySchemes: Record<string, { type: string; scheme: string; description: string }>;
  /** Path items that webhooks refer to. */
  pathItems?: Record<string, { post: Operation }>;
}

type Method = "get" | "post";

export interface Server {
  url: string;
  description?: string;
  variables?: Record<string, { default: string; description: string }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  servers?: Server[];
  parameters?: (Parameter | Reference)[];
  requestBody?: Body & { required: true };
  responses: Record<string, Answer>;
  "x-limits"?: Record<string, number>;
}

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
  example?: unknown;
}

export interface Header {
  required: boolean;
  description: string;
  schema: Schema;
  example?: unknown;
}

/** One media type of a body, with its schema and examples. */
export interface Body {
  description: string;
  content: Record<string, MediaType>;
}

export interface MediaType {
  schema: Schema;
  examples: Record<string, Example>;
  encoding?: Record<string, { contentType: string }>;
}

export interface Example {
  summary: string;
  value: unknown;
}

export interface Answer {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, MediaType>;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  nullable?: boolean;
  [keyword: string]: unknown;
}

/** The operations of a document, each with its path and method. */
export function operationsOf(document: Document): { path: string; method: Method; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method as Method, operation })),
  );
}

/** Messages that subscribers receive, by type. */
export function messagesOf({ webhooks = {}, components }: Document): Record<string, Operation> {
  const operations = Object.entries(webhooks).map(([type, { $ref }]) => {
    const found = components.pathItems?.[$ref.replace("#/components/pathItems/", "")];
    if (!found) throw new Error(`the document has no ${$ref}`);
    return [type, found.post] as const;
  });
  return Object.fromEntries(operations);
}

/** Follows a reference to a named schema; returns other schemas as they are. */
export function resolved(schemas: Record<string, Schema>, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = schemas[schema.$ref.replace("#/components/schemas/", "")];
  if (!found) throw new Error(`the document has no ${schema.$ref}`);
  return found;
}

export function reference(schema: string): Schema {
  return { $ref: `#/components/schemas/${schema}` };
}
