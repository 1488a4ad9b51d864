/** The request that the form describes; both the form and the curl command send it. */
export interface Draft {
  method: string;
  url: string;
  /** The name of the credential's variable; only the code that sends knows its value. */
  variable: string | undefined;
  headers: Record<string, string>;
  body: { kind: "json"; text: string } | { kind: "form"; parts: Part[] } | undefined;
}

export interface Part {
  name: string;
  file: File;
  /** The text of a file that the reader did not choose from a disk; at most one part of a request has one. */
  text?: string;
  /** The file is compressed before it is sent. */
  gzip?: boolean;
}
