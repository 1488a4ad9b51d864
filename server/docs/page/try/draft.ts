/** A request as the form describes it: what is sent and what the command does are the same. */
export interface Draft {
  method: string;
  url: string;
  /** The name of the credential's variable; its value is known to the sender alone. */
  variable: string | undefined;
  headers: Record<string, string>;
  body: { kind: "json"; text: string } | { kind: "form"; parts: Part[] } | undefined;
}

export interface Part {
  name: string;
  file: File;
  /** What is in the file, when it is no file of the reader's; one part of a request at most. */
  text?: string;
  /** The file is packed before it is sent. */
  gzip?: boolean;
}
