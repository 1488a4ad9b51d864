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

/** The attachment as it has to be stored. */
export interface Part {
  part: string;
  filename: string | null;
  contentType: string | null;
}

export interface Encoder {
  name: string;
  send(call: Call): Promise<Answer>;
  /** Attachments in order of arrival. */
  attachments: [Part, Part];
  /**
   * The encoder sends a plain envelope as text and turns its line ends into CRLF, as the standard of forms requires.
   */
  textual?: boolean;
}
