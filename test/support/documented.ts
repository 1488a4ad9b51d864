import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Answer, type Document, messagesOf, type Operation, operationsOf } from "../../openapi/model/openapi.ts";
import { validatorOf } from "./validator.ts";

const text = readFileSync(join(import.meta.dir, "../../openapi/openapi.json"), "utf8");

/** The committed document. */
export const document = JSON.parse(text) as Document;

/** The faults of a value by a schema. */
export const faultsOf = validatorOf(document);

/** The faults of a message of this type to a subscriber. */
export function messageFaults(type: string, message: unknown): string[] {
  const [media] = Object.values(messagesOf(document)[type]?.requestBody?.content ?? {});
  return media ? faultsOf(media.schema, message) : [`the document has no webhook ${type}`];
}

/** Headers that the document leaves out: those of every HTTP server, and those for CORS and caches. */
const general =
  /^(date|connection|keep-alive|transfer-encoding|content-(type|length|encoding)|cache-control|etag|vary|x-content-type-options|access-control-.*)$/;

export function operationOf(id: string): { path: string; method: string; operation: Operation } {
  const found = operationsOf(document).find(({ operation }) => operation.operationId === id);
  if (!found) throw new Error(`the document has no ${id}`);
  return found;
}

/** Returns an answer; throws when the document does not have it, by status, headers, media type or body. */
export async function documented(method: string, path: string, response: Response): Promise<Response> {
  const [at = ""] = path.split("?");
  const operation = pathOf(at)?.[method === "HEAD" ? "get" : (method.toLowerCase() as "get")];
  if (!operation || response.status === 304) return response;
  const answer = operation.responses[response.status];
  const findings = answer
    ? [
        ...headerFindings(answer, response.headers),
        ...(await bodyFindings(answer, method, response.clone() as Response)),
      ]
    : ["the status is not in the document"];
  if (findings.length === 0) return response;
  throw new Error(`${method} ${at} answered ${response.status}: ${findings.join("; ")}`);
}

/** The value under a path of the document, in which a name in braces matches any segment. */
function pathOf(at: string): Document["paths"][string] | undefined {
  return paths.find(({ pattern }) => pattern.test(at))?.value;
}
const paths = Object.entries(document.paths).map(([path, value]) => ({
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
  value,
}));

/** Names of the headers that the document gives a status, in lower case. */
export function documentedHeaders({ headers = {} }: Answer): { name: string; required: boolean }[] {
  return Object.keys(headers).map((name) => ({
    name: name.toLowerCase(),
    required: document.components.headers[name]?.required ?? false,
  }));
}

function headerFindings(answer: Answer, headers: Headers): string[] {
  const known = documentedHeaders(answer);
  return [
    ...known.filter(({ name, required }) => required && !headers.has(name)).map(({ name }) => `${name} is missing`),
    ...[...headers.keys()]
      .filter((name) => !general.test(name) && !known.some((one) => one.name === name))
      .map((name) => `${name} is not in the document`),
  ];
}

async function bodyFindings({ content }: Answer, method: string, response: Response): Promise<string[]> {
  const body = await response.text();
  if (!content) return body === "" ? [] : ["the document has no body"];
  const type = response.headers.get("content-type") ?? "";
  const media = content[type];
  if (!media) return [`the media type is ${type}`];
  return method === "HEAD" ? [] : faultsOf(media.schema, JSON.parse(body));
}
