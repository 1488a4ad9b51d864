/** The OpenAPI document as the page needs it: references are resolved, and operations stand in one list. */
export interface Api {
  info: { title: string; version: string; summary?: string; description?: string };
  tags: { name: string; description: string }[];
  servers: Server[];
  operations: Operation[];
  schemas: Record<string, Schema>;
  securitySchemes: Record<string, { description: string }>;
}

export interface Operation {
  method: string;
  path: string;
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  servers?: Server[];
  parameters?: Parameter[];
  requestBody?: { description: string; content: Record<string, MediaType> };
  responses: Record<string, Answer>;
  "x-limits"?: Record<string, number>;
}

interface Server {
  url: string;
  variables?: Record<string, { default: string }>;
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
  example?: string;
}

export interface MediaType {
  schema: Schema;
  examples: Record<string, Example>;
}

export interface Example {
  summary: string;
  value: unknown;
}

export interface Answer {
  description: string;
  headers?: Record<string, Omit<Parameter, "name" | "in">>;
  content?: Record<string, MediaType>;
}

export interface Schema {
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: string[];
  pattern?: string;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maxProperties?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

export async function loadApi(): Promise<Api> {
  // A relative address, so that a proxy may put page and document below a path of its own.
  const response = await fetch("openapi.json");
  if (!response.ok) throw new Error(`openapi.json answered ${response.status}`);
  const root = await response.json();
  const { paths, components, ...rest } = inlined(root, root) as Inlined;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
  return { ...rest, ...components, operations: operations.sort((a, b) => rankOf(rest, a) - rankOf(rest, b)) };
}

/** In the order of the tags; operations that send something come before those that only read. */
function rankOf({ tags }: Pick<Api, "tags">, { tags: [tag], method }: Operation): number {
  return 2 * tags.findIndex(({ name }) => name === tag) + (method === "POST" ? 0 : 1);
}

interface Inlined extends Omit<Api, "operations" | "schemas" | "securitySchemes"> {
  paths: Record<string, Record<string, Operation>>;
  components: Pick<Api, "schemas" | "securitySchemes">;
}

/**
 * Members beside a reference override those of its target. Examples are data: a `$ref` in an example is no reference.
 */
function inlined(value: unknown, root: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, root));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  const members = Object.entries(rest).map(([name, member]) => [
    name,
    name === "examples" ? member : inlined(member, root),
  ]);
  const target = typeof $ref === "string" ? (inlined(at(root, $ref), root) as object) : {};
  return { ...target, ...Object.fromEntries(members) };
}

function at(root: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce((value, name) => (value as Record<string, unknown>)[name], root);
}

/** The only media type of a body, and its schema. */
export function contentOf(body: { content?: Record<string, MediaType> } | undefined): [string, MediaType] | undefined {
  return Object.entries(body?.content ?? {})[0];
}

export function credentialOf({ security }: Operation): string | undefined {
  return Object.keys(security[0] ?? {})[0];
}

/** The address of an operation in the document. */
export function serverOf(api: Api, operation?: Operation): string {
  const [server] = operation?.servers ?? api.servers;
  const variables = server?.variables ?? {};
  return (server?.url ?? "").replace(/\{(\w+)\}/g, (_, name: string) => variables[name]?.default ?? "");
}
