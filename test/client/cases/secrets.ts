import { ok } from "./check.ts";

/** The beginning of a credential reveals it too, because an echo may have been cut. */
const credential = /\bi[st]k_[0-9A-Za-z]{6}/;

/** Fails when anything that a program might print of this value contains a credential. */
export function keepsSecrets(value: unknown, what: string) {
  for (const [how, text] of texts(value)) {
    const found = credential.exec(text);
    ok(
      !found,
      `${what}: a credential stands in ${how}: ${text.slice(Math.max(0, (found?.index ?? 0) - 60)).slice(0, 120)}`,
    );
  }
}

function* texts(value: unknown): Iterable<[string, string]> {
  yield ["String()", String(value)];
  yield ["JSON", JSON.stringify(value) ?? ""];
  const { process, Deno } = globalThis as Inspecting;
  const inspect = process?.getBuiltinModule?.("node:util")?.inspect ?? Deno?.inspect;
  if (inspect) yield ["what inspect shows", inspect(value, { depth: 10, showHidden: true })];
  yield* members(value, "", new Set());
}

/** Every text in a value, with hidden properties and causes. */
function* members(value: unknown, path: string, seen: Set<unknown>): Iterable<[string, string]> {
  if (typeof value === "string") yield [path || "the text", value];
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  if (value instanceof Headers) {
    for (const [name, text] of value) yield [`${path}.${name}`, text];
  }
  for (const name of [...Object.getOwnPropertyNames(value), "message", "stack", "cause"]) {
    yield* members((value as Record<string, unknown>)[name], `${path}.${name}`, seen);
  }
}

interface Inspecting {
  process?: { getBuiltinModule?: (name: string) => { inspect?: Inspect } | undefined };
  Deno?: { inspect: Inspect };
}
type Inspect = (value: unknown, options: { depth: number; showHidden: boolean }) => string;
