import { type Answer, type Document, type MediaType, type Operation, operationsOf, resolved } from "./model/openapi.ts";

/** Finds faults in a document by Intake's own rules, a line each; the linters check the rules of OpenAPI itself. */
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

/** Generators choose a wrong one of several media types for a body. */
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
  // Answers that come before Intake's own code runs have no body.
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

/** Schema keywords that generated clients misread, or that only the other version of OpenAPI has. */
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
