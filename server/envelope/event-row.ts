/** A row of the table `event`: a stored report without its envelope. Times are epoch milliseconds. */
export type EventRow = {
  id: string;
  project_id: string;
  key_id: string;
  report_id: string | null;
  /** SHA-256 of the unpacked envelope, in hex digits. */
  digest: string;
  version: number | null;
  type: string | null;
  title: string | null;
  level: string | null;
  environment: string | null;
  release: string | null;
  user_id: string | null;
  user_email: string | null;
  /** A JSON object of text; null without any. */
  tags: string | null;
  /** As the app sent it. */
  occurred_at: string | null;
  sent_at: string | null;
  received_at: number;
  envelope_bytes: number;
  /** Bytes that the report takes on the disk: the envelope as stored and all attachments. */
  stored_bytes: number;
  user_agent: string | null;
  source_ip: string | null;
  /** A JSON list; null without any. */
  warnings: string | null;
  delivery_count: number;
  repeat_count: number;
  last_repeat_at: number | null;
};

/** A row of the table `attachment`: a file of a report, or one that its envelope names and that did not come. */
export type AttachmentRow = {
  event_id: string;
  /** In order of arrival; attachments that did not come have the numbers after them. */
  number: number;
  id: string;
  part: string;
  filename: string | null;
  content_type: string | null;
  /** The type that the first bytes of the file show. */
  sniffed_type: string | null;
  size: number | null;
  sha256: string | null;
  kind: string;
  state: "stored" | "missing" | "unlisted" | "differs";
};
