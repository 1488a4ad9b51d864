/**
 * One thing that the fault server does with a request. After the last one the connection stays open without sending.
 */
export type Move =
  /** Stores the request and answers as Intake does. */
  | { do: "accept" }
  /** Stores the request and does not answer. */
  | { do: "commit" }
  /**
   * The bytes of the answer, a character each; the server replaces `$authorization` and `$elsewhere` by their values.
   */
  | { do: "write"; bytes: string }
  /** Sends the same bytes until the client closes the connection. */
  | { do: "pour"; bytes: string; everyMs: number }
  | { do: "wait"; ms: number }
  | { do: "end" }
  | { do: "reset" };

/** What is done with the first, second … request; the last step also applies to all further ones. */
export interface Step {
  moves: Move[];
  /** Answers as soon as the head has arrived; the body is not read. */
  unread?: boolean;
}

interface AnswerInit {
  headers?: Record<string, string>;
  body?: string;
  /** The value of `Content-Length`: the length of the body by default, no such header with null. */
  length?: number | null;
  /** The reason phrase after the status. */
  reason?: string;
}

/** The CORS headers that a page of another origin needs, on every answer, as Intake sends them. */
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

/** The requests that arrived, without preflights. */
export interface Arrived {
  method: string;
  path: string;
  /** Headers with names in lower case. */
  headers: Record<string, string>;
  /** One character for each byte. */
  body: string;
  /** Epoch milliseconds when the head had arrived. */
  at: number;
  connection: number;
}

export interface FaultRecord {
  requests: Arrived[];
  preflights: number;
  /** The connections that are open now. */
  open: number[];
  /** Tickets or events that were created. */
  stored: number;
  /** Connections to the target of redirects. */
  elsewhere: number;
}
