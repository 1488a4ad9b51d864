import type { Report } from "./report.ts";

export type Form = "plain" | "gzip";

export interface Call {
  url: string;
  key: string;
  report: Report;
  form: Form;
}

export interface Answer {
  status: number;
  text: string;
}

/** How an attachment is to read back. */
export interface Part {
  part: string;
  filename: string | null;
  contentType: string | null;
}

export interface Encoder {
  name: string;
  send(call: Call): Promise<Answer>;
  /** In order of arrival. */
  attachments: [Part, Part];
  /** It sends a plain envelope as text and makes each of its line ends CRLF, as the standard of forms has it. */
  textual?: boolean;
}
