/** An error as a report has it: at most 64 kB, and without the error's own members, which may hold requests with credentials. */
export interface Exception {
  /** Name of the error's class; absent for a thrown value that is no error. */
  type?: string | undefined;
  /** The error's message, at most 2,000 characters. */
  value: string;
  /** The stack as the platform writes it, at most 8,000 characters. */
  stack?: string | undefined;
  /** Its `cause`, its `errors` (of an `AggregateError`), and theirs: at most five, the nearest first. */
  causes?: Exception[] | undefined;
}

const causesMax = 5;
/** The limit of all of an exception as JSON, in bytes. */
const maxBytes = 64_000;
/** Longest stack in UTF-16 units, as long as the whole keeps within its limit; a message has a quarter of it. */
const stackMax = 8_000;

/** Whether the value is an error, of another realm (an iframe, `node:vm`) too. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || /^\[object (Error|DOMException)]$/.test({}.toString.call(value));
}

/** Describes an error, or another thrown value, with its causes. Never throws, whatever the error's members do. */
export function exceptionOf(thrown: unknown): Exception {
  for (let max = stackMax; ; max /= 2) {
    const found = [thrown];
    const all: Exception[] = [];
    // `describe` adds to the list that is walked.
    for (const one of found) all.push(describe(one, found, max));
    const exception = all.shift() as Exception;
    if (all[0]) exception.causes = all;
    // A character has at most three bytes.
    if (JSON.stringify(exception).replace(/[^ -~]/g, "   ").length <= maxBytes) return exception;
  }
}

/** A replacer for `JSON.stringify` that describes every error. */
export function describeErrors(this: unknown, name: string, value: unknown): unknown {
  // The error itself: `value` is what its `toJSON` returned, where it has one.
  const own = (this as Record<string, unknown>)[name];
  return isError(own) ? exceptionOf(own) : value;
}

/** The `exception` of a report for whatever was thrown: an error as it is, another value as text. */
export function thrown(value: unknown): unknown {
  return isError(value) ? value : textOf(value) || String(value);
}

/** Describes one value, and adds its causes to `found`. */
function describe(thrown: unknown, found: unknown[], max: number): Exception {
  const read = (name: string) => {
    try {
      return (thrown as Record<string, unknown>)[name];
    } catch {
      return undefined;
    }
  };
  if (!isError(thrown)) return { value: textOf(thrown).slice(0, max / 4) };
  const errors = read("errors");
  for (const one of [read("cause"), ...(Array.isArray(errors) ? errors.slice(0, causesMax) : [])]) {
    if (found.length <= causesMax && one != null && !found.includes(one)) found.push(one);
  }
  const message = textOf(read("message"));
  const value = message.slice(0, max / 4);
  return {
    type: textOf(read("name")).slice(0, max / 40),
    value,
    // A long message in front of the frames would leave no room for them.
    stack: textOf(read("stack"))
      .replace(message, () => value)
      .slice(0, max),
  };
}

function textOf(value: unknown): string {
  try {
    return (typeof value === "object" && JSON.stringify(value)) || String(value ?? "");
  } catch {
    return "";
  }
}
