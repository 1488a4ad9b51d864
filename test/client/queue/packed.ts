import { type AttachmentInput, copyAttachment } from "../../../client/src/reports/attachment.ts";
import { type PackOptions, pack } from "../../../client/src/reports/pack.ts";
import { readForm } from "./read-form.ts";

const capturedAt = Date.UTC(2026, 10, 1, 12);
export const reportId = "0e984725-c51c-4bf4-9960-e1c80e27aba0";

/** A report, packed, and read back as the server reads it. */
export async function packed(
  report: Record<string, unknown>,
  attachments: AttachmentInput[] = [],
  options: PackOptions = {},
  drops = {},
) {
  const form = await pack(
    { reportId, at: capturedAt, attachments: attachments.map(copyAttachment), report },
    drops,
    options,
  );
  return { form, ...readForm(form) };
}

/** What it was not packed for. */
export async function refusal(packing: Promise<unknown>): Promise<unknown> {
  return packing.then(
    () => {
      throw new Error("it was packed");
    },
    (error: unknown) => error,
  );
}
