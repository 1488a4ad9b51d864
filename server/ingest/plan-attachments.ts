import type { AttachmentKind, Warning } from "../../openapi/schema/ingest.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { indexText, type Reference } from "../envelope/index-envelope.ts";
import { sniffContentType } from "./sniff-content-type.ts";
import type { Part } from "./spool.ts";

type AttachmentState = "stored" | "missing" | "unlisted" | "differs";

/** An attachment as it will be stored. */
export interface PlannedAttachment {
  part: string;
  filename: string | null;
  contentType: string | null;
  sniffedType: string | null;
  size: number | null;
  /** SHA-256, 32 bytes. */
  digest: Uint8Array | null;
  kind: AttachmentKind;
  state: AttachmentState;
}

export interface AttachmentPlan {
  /** Those that came, in order of arrival; then those that the envelope names and that did not come. */
  attachments: PlannedAttachment[];
  warnings: Warning[];
}

/**
 * Matches the parts that came with the references of the envelope, by the names of parts. A part that does not match is
 * stored all the same, with a state and a warning.
 */
export async function planAttachments(
  parts: readonly Part[],
  references: readonly Reference[] | null,
): Promise<AttachmentPlan> {
  const open = [...(references ?? [])];
  const warnings: Warning[] = [];
  const attachments: PlannedAttachment[] = [];
  for (const part of parts) {
    const digest = part.digest();
    const at = open.findIndex((reference) => reference.part === part.name);
    const [reference] = at < 0 ? [] : open.splice(at, 1);
    const differs = reference !== undefined && isOther(part.size, digest, reference);
    if (differs) {
      warnings.push({
        path: reference.path,
        code: "attachment_differs",
        message: "The part has another size or SHA-256 than the envelope says. It is stored as it came.",
      });
    }
    attachments.push({
      part: indexText(part.name, limits.partNameMax),
      filename: textOrNull(part.filename ?? reference?.filename),
      contentType: textOrNull(part.contentType ?? reference?.contentType),
      sniffedType: await sniffContentType(part.head),
      size: part.size,
      digest,
      kind: reference?.kind ?? "other",
      state: differs ? "differs" : references && !reference ? "unlisted" : "stored",
    });
  }
  if (attachments.some(({ state }) => state === "unlisted")) {
    warnings.push({
      path: "/attachments",
      code: "attachment_unlisted",
      message: "Parts came that the envelope does not list. They are stored.",
    });
  }
  for (const { part, filename, contentType, kind, path } of open) {
    warnings.push({ path, code: "attachment_missing", message: "The envelope lists this part, but it did not come." });
    const nothing = { sniffedType: null, size: null, digest: null };
    attachments.push({
      part: indexText(part, limits.partNameMax),
      filename,
      contentType,
      ...nothing,
      kind,
      state: "missing",
    });
  }
  return { attachments, warnings };
}

function isOther(size: number, digest: Uint8Array, told: Reference): boolean {
  return (told.size !== null && told.size !== size) || (told.sha256 !== null && told.sha256 !== digest.toHex());
}

function textOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : indexText(text, limits.partNameMax);
}
