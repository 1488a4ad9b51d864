import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Attachments, IngestClient, type Receipt, type Report } from "../ingest.ts";
import { untilAnswered, usualWaitMs } from "./create-ticket.ts";
import { durationMs, durationRule } from "./duration.ts";
import { type Flag, UsageError, uuidShape } from "./flags.ts";

const levels = ["fatal", "error", "warning", "info", "debug"] as const;

/** The flags of `report` that have a value. */
export const reportFlags: Record<string, Flag> = {
  title: { placeholder: "T", about: "one line for lists; required" },
  message: { placeholder: "M", about: "the report in words" },
  type: { placeholder: "T", about: "sort of report, such as crash or feedback" },
  level: {
    placeholder: "L",
    about: levels.join(", "),
    fault: (value) => !levels.some((level) => level === value) && `must be one of ${levels.join(", ")}`,
  },
  app: { placeholder: "N", about: "name of the app" },
  "app-version": { placeholder: "V", about: "version of the app" },
  environment: { placeholder: "E", about: "where the app runs, such as production" },
  attach: { placeholder: "FILE", about: "a file that goes along; up to five times", many: true },
  "report-id": {
    placeholder: "U",
    about: "the same id and contents are stored once; a new UUID when absent",
    fault: (value) => !uuidShape.test(value) && "must be a UUID",
  },
  wait: {
    placeholder: "D",
    about: "keep trying this long, such as 90s or 5m; 2m when absent, 0 means one try",
    fault: (value) => durationMs(value) === undefined && durationRule,
  },
  url: { placeholder: "U", about: "where Intake takes reports; INTAKE_URL when absent" },
};

interface Order {
  url: string;
  key: string;
  given: Record<string, string | undefined>;
  attach: readonly string[];
  waitMs?: number | undefined;
  /** Called with one line of text for people: a wait, a repeat. */
  note(text: string): void;
}

/** Sends a report; every try sends the same contents under the same id. */
export async function submitReport({ url, key, given, attach, waitMs = usualWaitMs, note }: Order): Promise<Receipt> {
  const reports = new IngestClient({ ingestUrl: url, key, maxRetries: 0, onTooLarge: "error" });
  const { title, message, type, level, app: name, "app-version": version, environment } = given;
  const report = {
    reportId: given["report-id"] ?? crypto.randomUUID(),
    occurredAt: new Date().toISOString(),
    ...{ title, message, type, level },
    ...((name || version || environment) && { app: { name, version, environment } }),
  } as Report;
  // Read before the first try: all tries send the same bytes.
  const attachments = attach.map((path) => ({
    filename: basename(path),
    data: readAttachment(path),
  })) as readonly object[];
  const once = () => reports.submit(report, { attachments: attachments as Attachments });
  const receipt = await untilAnswered(once, performance.now() + waitMs, note);
  if (receipt.idempotent) note("this report was received before, nothing new was stored");
  return receipt;
}

function readAttachment(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`--attach: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}
