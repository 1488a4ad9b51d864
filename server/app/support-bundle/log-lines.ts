import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const bytesMax = 2 * 1_048_576;
const linesMax = 2_000;
const textMax = 200;

/**
 * Members of a log line that are taken over. All others stay out: a line of an error may quote what was stored, and
 * headers are what strangers wrote.
 */
const members = new Set([
  ...["@timestamp", "level", "logger", "message", "requestId", "route", "status", "code", "trace_id", "span_id"],
  ...[
    "signal",
    "duty",
    "lines",
    "suppressed",
    "removed",
    "milliseconds",
    "attempts",
    "delivery",
    "subscriber",
    "event",
  ],
  ...["days", "bytesPerProject", "state", "number"],
]);

/** The last lines of a log of Intake, cut down to what is safe to show; lines of other programs are left out. */
export function lastLogLines(path: string): { text: string; lines: number; leftOut: number } {
  const kept: string[] = [];
  let leftOut = 0;
  for (const line of tailOf(path).split("\n").slice(-linesMax)) {
    if (line.trim() === "") continue;
    const safe = safeLine(line);
    if (safe === undefined) leftOut++;
    else kept.push(safe);
  }
  return { text: kept.map((line) => `${line}\n`).join(""), lines: kept.length, leftOut };
}

/** A line may stand behind a prefix, such as that of journalctl. */
function safeLine(line: string): string | undefined {
  try {
    const record = JSON.parse(line.slice(line.indexOf("{"))) as Record<string, unknown>;
    if (record["logger"] !== "intake" || typeof record["level"] !== "string") return undefined;
    const safe: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(record)) {
      if (members.has(name) && isPlain(value)) safe[name] = value;
    }
    const error = safeError(record["error"]);
    return JSON.stringify(error ? { ...safe, error } : safe);
  } catch {
    return undefined;
  }
}

function isPlain(value: unknown): boolean {
  return (
    typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && value.length <= textMax)
  );
}

/** What kind of error it was and where; its message may quote what was stored. */
function safeError(error: unknown): Record<string, unknown> | undefined {
  if (error === null || typeof error !== "object") return undefined;
  const { name, code, stack } = error as Record<string, unknown>;
  const word = (value: unknown) => (typeof value === "string" && /^\w{1,60}$/.test(value) ? value : undefined);
  const frames = typeof stack === "string" ? stack.match(/^ +at [\w.<>#$ ]*\(?[\w/.:$-]+\)?$/gm) : null;
  return { name: word(name), code: word(code), at: (frames ?? []).slice(0, 20).map((frame) => frame.trim()) };
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * The end of a file. A symbolic link is not followed, and nothing but a regular file is read: whoever may write to the
 * folder of a log could otherwise make root hand out another file.
 */
function tailOf(path: string): string {
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as { code?: string };
    throw new Error(code === "ELOOP" ? "it is a symbolic link; name the file itself" : `it cannot be read (${code})`);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error("it is not a regular file");
    const from = Math.max(0, stat.size - bytesMax);
    const bytes = Buffer.alloc(Math.min(stat.size, bytesMax));
    let read = 0;
    for (let now = -1; now !== 0 && read < bytes.length; read += now) {
      now = readSync(file, bytes, read, bytes.length - read, from + read);
    }
    const text = bytes.toString("utf8", 0, read);
    // The first line is cut.
    return from === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } finally {
    closeSync(file);
  }
}
