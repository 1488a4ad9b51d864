import { inlineBytes, type ReceivedReport } from "../../../openapi/schema/webhooks.ts";
import type { MessageType } from "./message-types.ts";

export interface ReportMessage {
  eventId: string;
  projectId: string;
  type: string | null;
  title: string | null;
  level: string | null;
  occurredAt: string | null;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** Bytes of the unpacked envelope. */
  envelopeBytes: number;
  attachments: readonly {
    number: number;
    id: string;
    filename: string | null;
    contentType: string | null;
    size: number | null;
    sha256: string | null;
  }[];
}

/**
 * A message as it is stored. The text of the envelope stands between `head` and `tail` and is not stored a second time.
 */
export interface StoredMessage {
  head: string;
  /** Null when `head` is the whole message. */
  tail: string | null;
}

/** Signs the paths of links by which a receiver fetches what the message does not contain. */
interface LinkPaths {
  pathOf(eventId: string, what: number | "envelope"): string;
}

/** Makes a message when its report is stored, so that every attempt for every subscriber sends the same bytes. */
export function reportMessage(report: ReportMessage, links: LinkPaths, publicUrl: string): StoredMessage {
  const { eventId, projectId, type, title, level, occurredAt } = report;
  const receivedAt = new Date(report.receivedAt).toISOString();
  const data = {
    eventId,
    projectId,
    reportType: type,
    title,
    level,
    occurredAt,
    receivedAt,
    url: `${publicUrl}/reports/${eventId}`,
    attachments: report.attachments.map(({ number, ...attachment }) => ({
      ...attachment,
      url: publicUrl + links.pathOf(eventId, number),
    })),
  } satisfies ReceivedReport;
  const whole = { type: "report.received" satisfies MessageType, timestamp: receivedAt, data };
  if (report.envelopeBytes > inlineBytes) {
    const envelopeUrl = publicUrl + links.pathOf(eventId, "envelope");
    return { head: JSON.stringify({ ...whole, data: { ...data, envelopeUrl } }), tail: null };
  }
  // The last two brackets close `data` and the message.
  return { head: `${JSON.stringify(whole).slice(0, -2)},"envelope":`, tail: "}}" };
}

/** The bytes of the body. `envelope` is the unpacked envelope, needed only when there is a tail. */
export function bodyOf({ head, tail }: StoredMessage, envelope: Uint8Array): Uint8Array {
  if (tail === null) return Buffer.from(head);
  const mark = envelope[0] === 0xef && envelope[1] === 0xbb && envelope[2] === 0xbf ? 3 : 0;
  return Buffer.concat([Buffer.from(head), envelope.subarray(mark), Buffer.from(tail)]);
}
