import { type Answer, type Document, type MediaType, type Operation, operationsOf, resolved } from "./model/openapi.ts";

/** What our own rules find in a document, a line each; the linters know the rules that everybody has. */
export function ownFindings(document: Document): string[] {
  return [
    ...operationsOf(document).flatMap(({ operation }) =>
      operationFindings(document, operation).map((finding) => `${operation.operationId} ${finding}`),
    ),
    ...keywordFindings(document),
  ];
}

function operationFindings(document: Document, { parameters = [], requestBody, responses }: Operation): string[] {
  return [
    ...(JSON.stringify(parameters).includes("Authorization") ? ["has Authorization as a parameter"] : []),
    ...(requestBody ? requestFindings(document, requestBody.content) : []),
    ...Object.entries(responses).flatMap(([status, answer]) =>
      answerFindings(document, status, answer).map((finding) => `${status} ${finding}`),
    ),
  ];
}

/** Several media types for a body are what generators choose the wrong one of. */
function requestFindings({ components }: Document, content: Record<string, MediaType>): string[] {
  const [media, ...others] = Object.values(content);
  if (!media || others.length > 0) return ["takes not exactly one media type"];
  const closed = resolved(components.schemas, media.schema).additionalProperties === false;
  return [
    ...(closed ? [] : ["takes members that the document does not name"]),
    ...(Object.keys(media.examples).length > 0 ? [] : ["has no example of a request"]),
  ];
}

function answerFindings({ components }: Document, status: string, { headers = {}, content }: Answer): string[] {
  const waits = status === "429" && !headers["Retry-After"] ? ["has no Retry-After"] : [];
  // What is answered before anything of ours runs has no body.
  if (!content) return waits;
  const [media, ...others] = Object.values(content);
  if (!media || others.length > 0) return [...waits, "has not exactly one media type"];
  const { additionalProperties, properties = {}, required = [] } = resolved(components.schemas, media.schema);
  const named = ["error", "status"].some((name) => required.includes(name) && properties[name]?.enum);
  return [
    ...waits,
    ...(/^[45]/.test(status) && !named ? ["has no list of codes"] : []),
    ...(additionalProperties === true ? [] : ["is closed: members could not be added"]),
    ...(Object.keys(media.examples).length > 0 ? [] : ["has no example"]),
  ];
}

/** What generated clients get wrong, or the other version's words. */
function keywordFindings({ openapi, components, paths }: Document): string[] {
  const others = openapi.startsWith("3.0") ? ["encoding", "propertyNames"] : ["nullable"];
  const unwanted = [...others, "anyOf", "oneOf", "allOf", "const", "$id", "patternProperties"];
  const schemas = JSON.stringify([components.schemas, components.headers, components.parameters, encodings(paths)]);
  return unwanted.filter((keyword) => schemas.includes(`"${keyword}":`)).map((keyword) => `uses ${keyword}`);
}

function encodings(paths: Document["paths"]): unknown[] {
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ encoding }) => ({ encoding })),
    ),
  );
}
