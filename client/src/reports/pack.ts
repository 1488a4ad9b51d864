import { LimitError } from "../core/errors.ts";
import { toJson } from "../core/json.ts";
import { reasonOf } from "../core/redact.ts";
import { sdkName, version } from "../core/version.ts";
import { envelopeBytesMax, requestBytesMax } from "../generated/contract.ts";
import type { App, Report } from "../types.ts";
import { type CopiedAttachment, readAttachments } from "./attachment.ts";
import { copyOf } from "./copy-report.ts";
import { DroppedError, type Drops } from "./dropped-error.ts";
import { encodeForm, type Gzip, type NativeForms } from "./multipart-form.ts";
import { join } from "./read-bytes.ts";

/** Options for the contents of a report. */
export interface PackOptions {
  /** Default of `app` in every envelope; members of the report's own `app` take precedence. */
  app?: App | undefined;
  /**
   * Called with a copy of every report before it is sent. Returns the report to send, changed or not, or null to drop it.
   * When it throws the report is dropped too.
   */
  beforeSend?: ((report: Report) => Report | null | Promise<Report | null>) | undefined;
  /** When a report is too large: leave attachments out and list them in the envelope's `dropped` (default), or throw. */
  onTooLarge?: "drop-attachments" | "error" | undefined;
  /** For platforms without `CompressionStream`: `gzip` of `@intake/client/node`, or that of another library. */
  gzip?: Gzip | undefined;
  /** `reactNative` of `@intake/client/react-native`: attachments may be files of React Native, `{ uri, name, type }`. */
  native?: NativeForms | undefined;
}

/** A copy of a report that was captured, with its id. */
export interface Draft {
  reportId: string;
  /** When the report was captured, in epoch milliseconds. */
  at: number;
  attachments: readonly CopiedAttachment[];
  report?: Report;
  /** Set instead of `report` when the report could not be copied or the client is closed. */
  error?: DroppedError;
}

/**
 * Makes the bytes of a report that every try sends. `drops` are counts of earlier reports that were dropped; the envelope
 * carries them to the server. Throws {@link DroppedError} and {@link LimitError}.
 */
export async function pack(draft: Draft, drops: Drops, options: PackOptions): Promise<Uint8Array> {
  if (draft.error) throw draft.error;
  let report: Report | null | undefined = draft.report;
  try {
    if (options.beforeSend) {
      report = await options.beforeSend(report as Report);
      if (report !== null) report = copyOf(report);
    }
  } catch (error) {
    throw new DroppedError("before_send_threw", `beforeSend failed: ${reasonOf(error)}`);
  }
  if (!report) throw new DroppedError("before_send", "beforeSend dropped it.");
  const [parts, dropped] = await readAttachments(draft.attachments, options.native);
  for (;;) {
    const [first] = dropped;
    if (first && options.onTooLarge === "error")
      throw new LimitError(`${first.filename} cannot be sent: ${first.reason}.`);
    const text = toJson({
      occurredAt: new Date(draft.at).toISOString(),
      sdk: { name: sdkName, version },
      ...report,
      version: 1,
      reportId: draft.reportId,
      app: options.app || report.app ? { ...options.app, ...report.app } : undefined,
      attachments: parts[0] && parts.map((part) => part._reference),
      dropped: first && dropped,
      clientReport: Object.keys(drops)[0] && { dropped: drops },
    });
    const envelope = join([text]);
    if (envelope.length > envelopeBytesMax) {
      throw new LimitError(`The report has ${envelope.length} of ${envelopeBytesMax} bytes.`);
    }
    const form = options.native?.encode(text, parts) ?? (await encodeForm(envelope, parts, options.gzip));
    const last = form.length > requestBytesMax && parts.pop();
    if (!last) return form;
    dropped.push({ filename: last._reference.filename, size: last._reference.size, reason: "too_large" });
  }
}
