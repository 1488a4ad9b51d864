import { write, writeSync } from "node:fs";
import { configureSync, getJsonLinesFormatter, getLogger, type LogRecord } from "@logtape/logtape";
import { plainJson } from "../text/plain-json.ts";
import { hideCredentials } from "./credential.ts";

const format = getJsonLinesFormatter({ categorySeparator: ".", properties: "flatten" });
const stderr = 2;
let configured = false;

/** Writes every record as one JSON line on stderr. */
export function configureLog() {
  configured = true;
  configureSync({
    reset: true,
    sinks: { stderr: (record: LogRecord) => writeLine(lineOf(record)) },
    loggers: [
      { category: ["logtape", "meta"], sinks: ["stderr"], lowestLevel: "error" },
      { category: "intake", sinks: ["stderr"], lowestLevel: "info" },
    ],
  });
}

export const log = getLogger("intake");

/** Members of every line. */
const reserved = ["@timestamp", "level", "message", "logger"];

/** A record as a line of JSON. A property with the name of a member that every line has stands beside it. */
export function lineOf(record: LogRecord): string {
  if (!reserved.some((name) => Object.hasOwn(record.properties, name))) return format(record);
  const properties = Object.entries(record.properties).map(([name, value]) => {
    return [reserved.includes(name) ? `property.${name}` : name, value];
  });
  return format({ ...record, properties: Object.fromEntries(properties) });
}

/** Lines that may wait while the reader of stderr is slow; further ones are dropped and counted. */
const waitingMax = 1_000;
let waiting: string[] = [];
let dropped = 0;
let writing: Promise<void> | undefined;

/** Writing a line never waits: otherwise a pipe that nobody reads would block every request. */
function writeLine(line: string) {
  if (waiting.length >= waitingMax) {
    dropped++;
    return;
  }
  // No code of Intake logs a credential. Should a text ever hold one, its value is cut out here.
  waiting.push(plainJson(hideCredentials(line, "[hidden]")));
  writing ??= writeWaiting().finally(() => {
    writing = undefined;
  });
}

async function writeWaiting(): Promise<void> {
  while (waiting.length > 0) {
    const lines = waiting;
    waiting = [];
    if (dropped > 0) {
      lines.push(format({ ...droppedRecord, timestamp: Date.now(), properties: { lines: dropped } }));
      dropped = 0;
    }
    // The server goes on when the reader of stderr is gone; the lines count as dropped.
    await writeAll(Buffer.from(lines.join(""))).catch(() => {
      dropped += lines.length;
    });
  }
}

const droppedRecord = {
  category: ["intake"],
  level: "warning",
  message: ["log lines were dropped: nobody read stderr"],
  rawMessage: "log lines were dropped: nobody read stderr",
} as const;

async function writeAll(bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += await new Promise<number>((resolve, reject) => {
      write(stderr, bytes, written, bytes.length - written, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }
}

/** Writes the lines at once, before work that blocks the event loop, such as an upgrade of the database. */
export function logAtOnce(text: string) {
  if (!configured) return;
  const record = { category: ["intake"], level: "info", message: [text], rawMessage: text, properties: {} } as const;
  try {
    writeSync(stderr, format({ ...record, timestamp: Date.now() }));
  } catch {
    // The pipe is full: the line is written once there is room.
    log.info(text);
  }
}

/**
 * Resolves when every line is written, or after this many milliseconds when nobody reads them. Await it before the
 * process ends.
 */
export async function flushLog(milliseconds = 500): Promise<void> {
  if (writing) await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, milliseconds))]);
}

const refusalsPerSecond = 50;
let second = 0;
let written = 0;
let suppressed = 0;

/**
 * Logs one line for a request that was refused, at most 50 in a second, so that a flood of requests cannot fill the
 * disk.
 */
export function logRefusal(properties: Record<string, string | number>) {
  const now = Math.floor(performance.now() / 1_000);
  if (now !== second) {
    if (suppressed > 0) log.warn("refusals were not logged", { suppressed });
    [second, written, suppressed] = [now, 0, 0];
  }
  if (++written > refusalsPerSecond) suppressed++;
  else log.info("refused", properties);
}
