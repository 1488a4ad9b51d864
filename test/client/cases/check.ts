/** Throws an error with the message `what` unless the condition holds; narrows types like any assertion. */
export function ok(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Compares values as JSON with sorted members, which suffices for the scripts. */
export function equal(actual: unknown, expected: unknown, what = "value") {
  const [got, wanted] = [sorted(actual), sorted(expected)];
  if (got !== wanted) throw new Error(`${what}: ${got}, expected ${wanted}`);
}

export function within(value: number | undefined, least: number, most: number, what: string) {
  ok(value !== undefined && value >= least && value <= most, `${what}: ${value}, expected ${least} to ${most}`);
}

function sorted(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) =>
    isPlain(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
  return text ?? String(value);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
