import { LimitError } from "../core/errors.ts";
import { toJson } from "../core/json.ts";
import { reasonOf } from "../core/redact.ts";
import { sdkName, version } from "../core/version.ts";
import { reportLimits } from "../generated/contract.ts";
import type { App, Report } from "../types.ts";
import { type AttachmentInput, readAttachments } from "./attachment.ts";
import { DroppedError, type Drops } from "./dropped-error.ts";
import { encodeForm, type Gzip } from "./multipart-form.ts";
import { join } from "./read-bytes.ts";
import { scrubbed } from "./scrub.ts";

/** Options for the contents of a report. */
export interface PackOptions {
  /** Default of `app` in every envelope; members of the report's own `app` take precedence. */
  app?: App | undefined;
  /**
   * Called with a copy of every report before it is sent. Returns the report to send, changed or not, or null to drop it.
   * When it throws the report is dropped too.
   */
  beforeSend?: ((report: Report) => Report | null | Promise<Report | null>) | undefined;
  /** Remove authorization headers, cookies and members that look like passwords from every report. Default: false. */
  scrub?: boolean | undefined;
  /** When a report is too large: leave attachments out and list them in the envelope's `dropped` (default), or throw. */
  onTooLarge?: "drop-attachments" | "error" | undefined;
  /** For platforms without `CompressionStream`: `gzip` of `@intake/client/node`, or that of another library. */
  gzip?: Gzip | undefined;
}

/** A copy of a report that was captured, with its id. */
export interface Draft {
  reportId: string;
  /** When the report was captured, in epoch milliseconds. */
  at: number;
  attachments: readonly AttachmentInput[];
  report?: Report;
  /** Set instead of `report` when the report could not be copied or the client is closed. */
  error?: DroppedError;
}

/**
 * Makes the bytes of a report that every try sends. `drops` are counts of earlier reports that were dropped; the envelope
 * carries them to the server. Throws {@link DroppedError} and {@link LimitError}.
 */
export async function pack({ reportId, at, ...draft }: Draft, drops: Drops, options: PackOptions): Promise<Uint8Array> {
  if (!draft.report || draft.error) throw draft.error;
  const report = await applyBeforeSend(draft.report, options);
  const { parts, dropped } = await readAttachments(draft.attachments);
  for (;;) {
    const [first] = dropped;
    if (first && options.onTooLarge === "error")
      throw new LimitError(`${first.filename} cannot be sent: ${first.reason}.`);
    const text = envelopeJson({
      occurredAt: new Date(at).toISOString(),
      sdk: { name: sdkName, version },
      ...report,
      version: 1,
      reportId,
      app: options.app || report.app ? { ...options.app, ...report.app } : undefined,
      attachments: parts[0] && parts.map(({ reference }) => reference),
      dropped: first && dropped,
      clientReport: Object.keys(drops)[0] && { dropped: drops },
    });
    const envelope = join([text]);
    const { length } = envelope;
    if (length > reportLimits.envelopeBytes) {
      throw new LimitError(`The envelope has ${length} bytes, more than ${reportLimits.envelopeBytes}.`);
    }
    const form = await encodeForm(text, envelope, parts, options.gzip);
    const last = form.length > reportLimits.requestBytes && parts.pop();
    if (!last) return form;
    dropped.push({ filename: last.reference.filename, size: last.reference.size, reason: "too_large" });
  }
}

function envelopeJson(envelope: object): string {
  try {
    return toJson(envelope);
  } catch (error) {
    throw new DroppedError("unserialisable", reasonOf(error));
  }
}

/** Scrubs the report if the option says so, then calls the app's `beforeSend`. */
async function applyBeforeSend(report: Report, { beforeSend, scrub }: PackOptions): Promise<Report> {
  let answer: Report | null = scrub ? scrubbed(report) : report;
  try {
    if (beforeSend) {
      const returned = await beforeSend(answer);
      answer = returned === null ? returned : JSON.parse(toJson(returned));
    }
  } catch (error) {
    throw new DroppedError("before_send_threw", `beforeSend failed: ${reasonOf(error)}`);
  }
  if (!answer) throw new DroppedError("before_send", "beforeSend dropped it.");
  return answer;
}
