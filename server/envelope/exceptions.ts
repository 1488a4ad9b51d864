import { firstText, isMembers, type Members, textOf } from "./read-untrusted.ts";
import { type Frame, frameOf, framesInText } from "./stack-frames.ts";

export interface Exception {
  type: string | null;
  message: string | null;
  /** The frames of the stack, the innermost call first. */
  frames: Frame[];
  framesLeftOut: number;
  /** The text of a stack in which no frames were recognised. */
  text: string | null;
}

const exceptionsMax = 10;
const framesMax = 100;
const stackMax = 20_000;

/**
 * The chain of errors, the outermost first: one error with its `cause` or its flat list of `causes`, a list of errors, or
 * `values` of a list.
 */
export function exceptionsOf(given: unknown): Exception[] {
  const list = isMembers(given) && Array.isArray(given["values"]) ? [...given["values"]].reverse() : given;
  if (Array.isArray(list)) return list.slice(0, exceptionsMax).flatMap((one: unknown) => exceptionOf(one) ?? []);
  const chain: Exception[] = [];
  for (let one = given; chain.length < exceptionsMax; one = (one as Members)["cause"]) {
    const exception = exceptionOf(one);
    if (!exception) break;
    chain.push(exception);
    if (!isMembers(one)) break;
    const { causes } = one;
    if (Array.isArray(causes)) {
      chain.push(...causes.slice(0, exceptionsMax).flatMap((cause: unknown) => exceptionOf(cause) ?? []));
    }
  }
  return chain.slice(0, exceptionsMax);
}

function exceptionOf(given: unknown): Exception | undefined {
  if (typeof given === "string" && given !== "") {
    return { type: null, message: textOf(given), frames: [], framesLeftOut: 0, text: null };
  }
  if (!isMembers(given)) return undefined;
  const stack = given["stack"] ?? given["stackTrace"];
  const trace = given["stacktrace"];
  const listed = isMembers(trace) && Array.isArray(trace["frames"]) ? [...trace["frames"]].reverse() : undefined;
  const plain = Array.isArray(given["frames"]) ? given["frames"] : Array.isArray(stack) ? stack : listed;
  const text = typeof stack === "string" ? stack : typeof trace === "string" ? trace : undefined;
  const found = plain
    ? { frames: plain.slice(0, framesMax).map(frameOf), total: plain.length }
    : framesInText((text ?? "").slice(0, stackMax), framesMax);
  const exception: Exception = {
    type: firstText(given, ["type", "name", "class"]),
    message: firstText(given, ["message", "value", "reason"], 4_000),
    frames: found.frames,
    framesLeftOut: found.total - found.frames.length,
    text: found.frames.length === 0 && text ? text.slice(0, stackMax).toWellFormed() : null,
  };
  const empty = exception.type === null && exception.message === null && found.frames.length === 0 && !exception.text;
  return empty ? undefined : exception;
}
