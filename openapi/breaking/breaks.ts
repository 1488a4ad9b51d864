import {
  type Answer,
  type Document,
  messagesOf,
  type Operation,
  operationsOf,
  type Parameter,
  type Schema,
} from "../model/openapi.ts";
import { answerBreaks, requestBreaks } from "./schema-breaks.ts";

/**
 * What would break a client of the earlier document in the later one, a line each: anything removed, a request that
 * accepts less, an answer that promises less. New members, codes and answers do not break clients. Written here because
 * the tools on npm do not know OpenAPI 3.1.
 */
export function breaks(before: Document, after: Document): string[] {
  const schemas = { before: before.components.schemas, after: after.components.schemas };
  const later = operationsOf(after);
  return [
    ...operationsOf(before).flatMap(({ path, method, operation }) => {
      const at = `${method.toUpperCase()} ${path}`;
      const now = later.find((one) => one.path === path && one.method === method);
      return now
        ? operationBreaks({ at, before: operation, after: now.operation, documents: { before, after } })
        : [`${at}: is gone`];
    }),
    // A message to a receiver is compared like an answer to a client: both are read.
    ...Object.entries(messagesOf(before)).flatMap(([type, message]) => {
      const at = `webhook ${type}`;
      const [was, is] = [message, messagesOf(after)[type]].map(
        (one) => Object.values(one?.requestBody?.content ?? {})[0],
      );
      return was && is ? answerBreaks({ at, before: was.schema, after: is.schema, schemas }) : [`${at}: is gone`];
    }),
    ...Object.keys(schemas.before)
      .filter((name) => !schemas.after[name])
      .map((name) => `schema ${name}: is gone`),
    // The envelope of a report: no operation has it as a JSON body, but senders write it.
    ...pair(schemas.before["ReportEnvelope"], schemas.after["ReportEnvelope"]).flatMap(([was, is]) =>
      requestBreaks({ at: "ReportEnvelope", before: was, after: is, schemas }),
    ),
  ];
}

interface OperationChange {
  at: string;
  before: Operation;
  after: Operation;
  documents: { before: Document; after: Document };
}

function operationBreaks(change: OperationChange): string[] {
  const { at, before, after } = change;
  return [
    ...(before.operationId === after.operationId ? [] : [`${at}: its operationId is another one`]),
    ...(JSON.stringify(before.security) === JSON.stringify(after.security)
      ? []
      : [`${at}: its credential is another one`]),
    ...Object.entries(before["x-limits"] ?? {})
      .filter(([name, limit]) => (after["x-limits"]?.[name] ?? 0) < limit)
      .map(([name]) => `${at}: the limit ${name} is lower or gone`),
    ...parameterBreaks(change),
    ...bodyBreaks(change),
    ...Object.entries(before.responses).flatMap(([status, answer]) => {
      const now = after.responses[status];
      return now ? answered(change, `${at} ${status}`, answer, now) : [`${at} ${status}: is gone`];
    }),
  ];
}

function parameterBreaks({ at, before, after, documents }: OperationChange): string[] {
  const schemas = schemasOf(documents);
  const was = parametersOf(documents.before, before);
  const is = parametersOf(documents.after, after);
  return [
    ...was.flatMap((parameter) => {
      const now = is.find(({ name }) => name === parameter.name);
      const place = `${at} ${parameter.name}`;
      return now
        ? requestBreaks({ at: place, before: parameter.schema, after: now.schema, schemas })
        : [`${place}: is gone`];
    }),
    ...is
      .filter(({ name, required }) => required && !was.find((one) => one.name === name)?.required)
      .map(({ name }) => `${at} ${name}: is required now`),
  ];
}

function parametersOf(document: Document, { parameters = [] }: Operation): Parameter[] {
  return parameters.flatMap((parameter) => {
    if (!("$ref" in parameter)) return [parameter];
    return document.components.parameters[parameter.$ref.replace("#/components/parameters/", "")] ?? [];
  });
}

function bodyBreaks({ at, before, after, documents }: OperationChange): string[] {
  const [was, is] = [before.requestBody?.content ?? {}, after.requestBody?.content ?? {}];
  return [
    ...(after.requestBody && !before.requestBody ? [`${at}: a body is required now`] : []),
    ...Object.entries(was).flatMap(([type, media]) => {
      const now = is[type];
      if (!now) return [`${at}: ${type} is no longer taken`];
      return requestBreaks({
        at: `${at} body`,
        before: media.schema,
        after: now.schema,
        schemas: schemasOf(documents),
      });
    }),
  ];
}

function answered({ documents }: OperationChange, at: string, before: Answer, after: Answer): string[] {
  return [
    ...Object.keys(before.headers ?? {}).flatMap((name) => {
      if (!after.headers?.[name]) return [`${at} ${name}: is gone`];
      const isRequired = ({ components }: Document) => components.headers[name]?.required ?? false;
      return isRequired(documents.before) && !isRequired(documents.after) ? [`${at} ${name}: may be absent now`] : [];
    }),
    ...Object.entries(before.content ?? {}).flatMap(([type, media]) => {
      const now = after.content?.[type];
      if (!now) return [`${at}: is no longer ${type}`];
      return answerBreaks({ at, before: media.schema, after: now.schema, schemas: schemasOf(documents) });
    }),
  ];
}

function schemasOf({ before, after }: OperationChange["documents"]) {
  return { before: before.components.schemas, after: after.components.schemas };
}

function pair(was: Schema | undefined, is: Schema | undefined): [Schema, Schema][] {
  return was && is ? [[was, is]] : [];
}
