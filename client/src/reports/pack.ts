import { LimitError } from "../core/errors.ts";
import { toJson } from "../core/json.ts";
import { reasonOf } from "../core/redact.ts";
import { sdkName, version } from "../core/version.ts";
import { reportLimits } from "../generated/contract.ts";
import type { App, Report } from "../types.ts";
import { type AttachmentInput, readAttachments } from "./attachment.ts";
import { join } from "./bytes.ts";
import { DroppedError, type Drops } from "./drops.ts";
import { encodeForm, type Gzip } from "./form.ts";
import { scrubbed } from "./scrub.ts";

/** How a report is made ready to be sent. */
export interface PackOptions {
  /** Stands in every envelope, below what the report says itself. */
  app?: App | undefined;
  /**
   * The last word on a report: returns it, changed or not, or null to drop it. It gets a copy. One that throws drops the
   * report too.
   */
  beforeSend?: ((report: Report) => Report | null | Promise<Report | null>) | undefined;
  /** Takes authorization headers, cookies and password-like members out of every report. */
  scrub?: boolean | undefined;
  /** Over the limits of size: leave attachments out and name them in the envelope (`dropped`), or give up the report. */
  onTooLarge?: "drop-attachments" | "error" | undefined;
  /** Where the platform has no `CompressionStream`: `gzip` of `@intake/client/node`, or another library's. */
  gzip?: Gzip | undefined;
}

/** A captured report: a copy, with its id. */
export interface Draft {
  reportId: string;
  /** When it was captured, in epoch milliseconds. */
  at: number;
  attachments: readonly AttachmentInput[];
  report?: Report;
  /** Why there is no report. */
  error?: DroppedError;
}

/** The bytes of a report as they are sent at every try. Throws {@link DroppedError}, {@link LimitError}. */
export async function pack({ reportId, at, ...draft }: Draft, drops: Drops, options: PackOptions): Promise<Uint8Array> {
  if (!draft.report || draft.error) throw draft.error;
  const report = await asked(draft.report, options);
  const { parts, dropped } = await readAttachments(draft.attachments);
  for (;;) {
    const [first] = dropped;
    if (first && options.onTooLarge === "error")
      throw new LimitError(`${first.filename} cannot be sent: ${first.reason}.`);
    const text = written({
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

function written(envelope: object): string {
  try {
    return toJson(envelope);
  } catch (error) {
    throw new DroppedError("unserialisable", reasonOf(error));
  }
}

async function asked(report: Report, { beforeSend, scrub }: PackOptions): Promise<Report> {
  let answer: Report | null = scrub ? scrubbed(report) : report;
  try {
    if (beforeSend) {
      const said = await beforeSend(answer);
      answer = said === null ? said : JSON.parse(toJson(said));
    }
  } catch (error) {
    throw new DroppedError("before_send_threw", `beforeSend failed: ${reasonOf(error)}`);
  }
  if (!answer) throw new DroppedError("before_send", "beforeSend dropped it.");
  return answer;
}
