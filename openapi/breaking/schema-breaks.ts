import { resolved, type Schema } from "../model/openapi.ts";

/** A schema before and after, the documents that contain it, and its position in them. */
interface Change {
  at: string;
  before: Schema;
  after: Schema;
  schemas: { before: Record<string, Schema>; after: Record<string, Schema> };
}

/** Requests that were accepted before and would be refused now. */
export function requestBreaks(change: Change): string[] {
  const { at, before, after } = followed(change);
  return [
    ...lost(typesOf(before), typesOf(after)).map((type) => `${at}: ${type} is no longer taken`),
    ...(before.type === undefined && after.type !== undefined ? [`${at}: only ${after.type} is taken`] : []),
    ...lost(before.enum, after.enum).map((value) => `${at}: the value ${value} is no longer taken`),
    ...(after.enum && !before.enum ? [`${at}: no longer takes any value`] : []),
    ...lowerBounds.flatMap((bound) => bounded(at, bound, before[bound], after[bound], 1)),
    ...upperBounds.flatMap((bound) => bounded(at, bound, before[bound], after[bound], -1)),
    ...["pattern", "format"].flatMap((name) =>
      after[name] === undefined || after[name] === before[name] ? [] : [`${at}: ${name} is new or another one`],
    ),
    ...lost(after.required, before.required ?? []).map((name) => `${at}/${name}: is required now`),
    ...(after.additionalProperties === false && before.additionalProperties !== false
      ? [`${at}: further members are no longer taken`]
      : []),
    ...inner.flatMap((keyword) =>
      isSchema(after[keyword]) && !isSchema(before[keyword]) && before[keyword] !== false
        ? [`${at}/*: ${keyword} is narrower`]
        : [],
    ),
    ...below(change, requestBreaks, (name) => `${at}/${name}: is no longer taken`),
  ];
}

/** Promises of an answer that readers could rely on before and cannot any more. */
export function answerBreaks(change: Change): string[] {
  const { at, before, after } = followed(change);
  return [
    ...lost(typesOf(after) ?? ["anything"], typesOf(before)).map((type) => `${at}: may be ${type} now`),
    ...lost(before.enum, after.enum ?? []).map((value) => `${at}: the value ${value} is gone`),
    ...(before.format !== after.format ? [`${at}: the format is another one`] : []),
    ...lost(before.required, after.required ?? []).map((name) => `${at}/${name}: may be absent now`),
    ...inner.flatMap((keyword) =>
      isSchema(before[keyword]) && !isSchema(after[keyword]) ? [`${at}/*: ${keyword} is gone`] : [],
    ),
    ...below(change, answerBreaks, (name) => `${at}/${name}: is gone`),
  ];
}

const lowerBounds = ["minLength", "minimum", "minItems", "minProperties"];
const upperBounds = ["maxLength", "maximum", "maxItems", "maxProperties"];

/** The schemas below a schema, beside its members, by name. */
const inner = ["items", "additionalProperties", "propertyNames"] as const;

function followed({ at, before, after, schemas }: Change) {
  return { at, before: resolved(schemas.before, before), after: resolved(schemas.after, after) };
}

/** Compares members that exist before and after; `removed` describes a member that exists no more. */
function below(change: Change, breaks: (change: Change) => string[], removed: (name: string) => string): string[] {
  const { at, before, after } = followed(change);
  const { schemas } = change;
  const members = Object.entries(before.properties ?? {}).flatMap(([name, member]) => {
    const now = after.properties?.[name];
    return now ? breaks({ at: `${at}/${name}`, before: member, after: now, schemas }) : [removed(name)];
  });
  const others = inner.flatMap((keyword) => {
    const [was, is] = [before[keyword], after[keyword]];
    return isSchema(was) && isSchema(is) ? breaks({ at: `${at}/*`, before: was, after: is, schemas }) : [];
  });
  return [...members, ...others];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null;
}

/** The types of a schema; undefined for any type. */
function typesOf({ type }: Schema): string[] | undefined {
  return type === undefined ? undefined : [type].flat();
}

/** Compares a bound. `direction` is 1 where a larger number accepts less. */
function bounded(at: string, bound: string, was: unknown, is: unknown, direction: 1 | -1): string[] {
  if (typeof is !== "number") return [];
  const narrower = typeof was !== "number" || (is - was) * direction > 0;
  return narrower ? [`${at}: ${bound} is ${is} now`] : [];
}

/**
 * The values of the one list that the other lacks. An absent second list lacks nothing, because it allows every value.
 */
function lost<T>(was: readonly T[] | undefined, is: readonly T[] | undefined): T[] {
  return (was ?? []).filter((value) => is !== undefined && !is.includes(value));
}
