/** One thing that the fault server does with a request. After the last one the connection stays open, and silent. */
export type Move =
  /** Stores as Intake does, and answers. */
  | { do: "accept" }
  /** Stores, and says nothing. */
  | { do: "commit" }
  /** Bytes of the answer, a character each; of `$authorization` and `$elsewhere` the server knows the values. */
  | { do: "write"; bytes: string }
  /** The same bytes for ever, until the other side has had enough. */
  | { do: "pour"; bytes: string; everyMs: number }
  | { do: "wait"; ms: number }
  | { do: "end" }
  | { do: "reset" };

/** What is done with the first, second … request; the last step is kept for all that follow. */
export interface Step {
  moves: Move[];
  /** Done as soon as the head is there; the body is not read. */
  unread?: boolean;
}

interface AnswerInit {
  headers?: Record<string, string>;
  body?: string;
  /** What `Content-Length` says; the length of the body unless told, no line at all with null. */
  length?: number | null;
  /** The word after the status. */
  reason?: string;
}

/** What a page of another origin needs, on every answer, as Intake sends it. */
export const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Idempotent-Replayed",
};

export const accept: Step = { moves: [{ do: "accept" }] };

export function step(...moves: Move[]): Step {
  return { moves };
}

export function write(status: number, { headers, body = "", length, reason = "Because" }: AnswerInit = {}): Move {
  const declared = length === null ? {} : { "content-length": String(length ?? body.length) };
  const lines = Object.entries({ ...corsHeaders, ...declared, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return { do: "write", bytes: `HTTP/1.1 ${status} ${reason}\r\n${lines.join("\r\n")}\r\n\r\n${body}` };
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Move {
  return write(status, { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) });
}

export function html(status: number, body = `<!doctype html><title>${status}</title><h1>Nothing to see</h1>`): Move {
  return write(status, { headers: { "content-type": "text/html; charset=utf-8" }, body });
}

/** What arrived; preflights aside. */
export interface Arrived {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** A character per byte. */
  body: string;
  /** Milliseconds of the epoch, when the head was there. */
  at: number;
  connection: number;
}

export interface FaultRecord {
  requests: Arrived[];
  preflights: number;
  /** The connections that are open now. */
  open: number[];
  /** Tickets or events that were made. */
  stored: number;
  /** Connections to the place that redirects lead to. */
  elsewhere: number;
}
