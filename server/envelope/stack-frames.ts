import { firstText, isMembers, type Members, textOf } from "./read-untrusted.ts";

export interface Frame {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  /** Whether the frame is the app's code and not a library's. */
  app: boolean;
  source?: { line: number; text: string; hit: boolean }[];
}

const sourceMax = 11;

/** Reads a frame that is an object, under the member names of different SDKs, or a line of text. */
export function frameOf(given: unknown): Frame {
  if (!isMembers(given)) return frameInLine(textOf(given)) ?? { ...nowhere, function: textOf(given), app: true };
  const file = firstText(given, ["file", "filename", "abs_path", "path", "module"]);
  const inApp = given["inApp"] ?? given["in_app"] ?? given["app"];
  const source = sourceOf(given);
  return {
    function: firstText(given, ["function", "method", "name", "symbol"]),
    file,
    line: numberOf(given["line"] ?? given["lineno"] ?? given["lineNumber"]),
    column: numberOf(given["column"] ?? given["colno"] ?? given["columnNumber"]),
    app: typeof inApp === "boolean" ? inApp : isOwn(file),
    ...(source.length > 0 ? { source } : {}),
  };
}

/** Finds the frames in the text of a stack trace of JavaScript, Java, Kotlin, Python, C# and similar languages. */
export function framesInText(text: string, max: number): { frames: Frame[]; total: number } {
  const frames = text.split("\n").flatMap((line) => frameInLine(line.slice(0, 1_000)) ?? []);
  return { frames: frames.slice(0, max), total: frames.length };
}

const nowhere: Frame = { function: null, file: null, line: null, column: null, app: false };

/** The last two groups are line and column, those before it function and file. */
const shapes = [
  /^\s*at (?:async )?(.{1,300}?) ?\((.{1,500}?)(?::(\d{1,9}))?(?::(\d{1,9}))?\)\s*$/,
  /^\s*at ()(\S{1,500}?):(\d{1,9})(?::(\d{1,9}))?\s*$/,
  /^\s*at (.{1,300}?) in (.{1,500}?):line (\d{1,9})()\s*$/,
  /^([^@\s]{0,300})@(\S{1,500}?):(\d{1,9})(?::(\d{1,9}))?\s*$/,
];
const python = /^\s*File "(.{1,500}?)", line (\d{1,9})(?:, in (.{1,300}))?\s*$/;

function frameInLine(line: string): Frame | undefined {
  const [, path, at, name] = python.exec(line) ?? [];
  if (path !== undefined)
    return { ...nowhere, function: name ?? null, file: path, line: numberOf(at), app: isOwn(path) };
  for (const shape of shapes) {
    const [, called, file, row, column] = shape.exec(line) ?? [];
    if (file === undefined) continue;
    return { function: called || null, file, line: numberOf(row), column: numberOf(column), app: isOwn(file) };
  }
  return undefined;
}

const library =
  /node_modules|site-packages|dist-packages|^(?:node|bun|internal|native|java|javax|kotlin|android|System)[.:/]|^\[?native code|^<anonymous>$/;

function isOwn(file: string | null): boolean {
  return file !== null && !library.test(file);
}

function sourceOf(given: Members): NonNullable<Frame["source"]> {
  const line = numberOf(given["line"] ?? given["lineno"]) ?? 0;
  const listed = given["source"];
  if (Array.isArray(listed)) {
    return listed
      .slice(0, sourceMax)
      .map((text: unknown, i) => ({ line: line + i, text: textOf(text, 300), hit: i === 0 }));
  }
  const hit = firstText(given, ["context_line", "source"], 300);
  if (hit === null) return [];
  const around = (value: unknown) => (Array.isArray(value) ? value.slice(0, 5).map((text) => textOf(text, 300)) : []);
  const before = around(given["pre_context"]);
  const rows = [...before, hit, ...around(given["post_context"])];
  return rows.map((text, i) => ({ line: line - before.length + i, text, hit: i === before.length }));
}

function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
