import { type ApiError, ConnectionError, errorFor, type IntakeError } from "./errors.ts";
import { reasonOf, redact } from "./redact.ts";
import { readRetryAfter } from "./retry-after.ts";
import { sdkName, version } from "./version.ts";
import type { Fetch, HttpResponse, Signal } from "./web-types.ts";
import { pause, withTimeout } from "./with-timeout.ts";

/** Receives the log messages of the SDK. `fields` never contain a credential. */
export interface Logger {
  debug(message: string, fields: Record<string, unknown>): void;
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** Options of every client: how requests are sent and repeated. */
export interface TransportOptions {
  /** Sends the requests. Default: the platform's `fetch`. */
  fetch?: Fetch | undefined;
  /** Time limit of one try, the answer's body included, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Time limit of all tries and the waits between them, in milliseconds. Default: 120,000. */
  deadlineMs?: number | undefined;
  /** How many tries may follow the first. Default: 2. */
  maxRetries?: number | undefined;
  /** Longest `Retry-After` that is waited for, in milliseconds; beyond it the error is thrown at once. Default: 60,000. */
  maxRetryAfterMs?: number | undefined;
  /** Default: no logging. */
  logger?: Logger | undefined;
}

/** Options of a single call; they override those of the client. */
export interface CallOptions extends Pick<TransportOptions, "timeoutMs" | "deadlineMs" | "maxRetries"> {
  /** Aborting the signal ends the current try or wait at once. */
  signal?: Signal | undefined;
}

/** One operation of the OpenAPI document. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** Status of a successful answer. */
  readonly status: number;
  /** A member that every successful answer has: an answer without it comes from a proxy, not from Intake. */
  readonly id: string;
  /** Status of a successful answer without a body, for operations that have one. */
  readonly nothing?: number;
}

interface Call extends Operation {
  baseUrl: string;
  /** The credential, or a function that is called for it at every try. */
  credential: string | (() => Promise<string>);
  headers: Record<string, string>;
  body: string | ArrayBuffer;
  keepalive?: boolean;
  /** Shared by all calls with one credential, so that a 429 to one of them delays the others too. */
  hold?: Hold;
}

/** After a 429: until when (`performance.now()`) nothing is sent, and the error that a call throws if that is too long. */
export interface Hold {
  until: number;
  error?: IntakeError;
}

/** Longest `Retry-After` that is respected, in milliseconds. One of more than a day is taken for a mistake of the server. */
export const retryAfterMaxMs = 86_400_000;

export interface Answer<T> {
  data: T;
  requestId: string | undefined;
  response: HttpResponse;
}

/** Sends a request until it is answered with success or the tries are used up. Throws only {@link IntakeError}s. */
export async function send<T>(call: Call, options: TransportOptions, callOptions: CallOptions): Promise<Answer<T>> {
  const { hold = { until: 0 } } = call;
  const deadline = performance.now() + (callOptions.deadlineMs ?? options.deadlineMs ?? 120_000);
  /** `retryAfterMs` is what the server asked for: 0 when it did not, and the wait is a backoff. */
  const waitFor = async (ms: number, retryAfterMs: number, error: IntakeError | undefined) => {
    if (retryAfterMs > (options.maxRetryAfterMs ?? 60_000) || performance.now() + ms >= deadline) throw error;
    await pause(ms, callOptions.signal);
  };
  for (let attempt = 0; ; ) {
    for (let held = heldMs(hold); held; held = heldMs(hold)) await waitFor(held, held, hold.error);
    try {
      const left = Math.min(
        callOptions.timeoutMs ?? options.timeoutMs ?? 30_000,
        Math.ceil(deadline - performance.now()),
      );
      return await withTimeout<Answer<T>>(left, callOptions.signal, (signal) => attemptOf(call, options, signal));
    } catch (thrown) {
      const error = thrown as IntakeError;
      const { status, retryAfterMs } = error as Partial<ApiError>;
      if (status === 429) {
        hold.until = Math.max(hold.until, performance.now() + Math.min(retryAfterMs ?? 0, retryAfterMaxMs));
        hold.error = error;
      }
      const wait = retryAfterMs ?? backoffMs(attempt, 8_000);
      if (!(attempt++ < (callOptions.maxRetries ?? options.maxRetries ?? 2)) || !isTransient(error)) throw error;
      logTo(options.logger, "debug", "retry", { attempt, waitMs: wait, error: error.toJSON() });
      await waitFor(wait, retryAfterMs ?? 0, error);
    }
  }
}

/** Milliseconds until the hold ends; 0 when nothing is held. */
export function heldMs({ until }: Hold): number {
  return Math.max(0, until - performance.now());
}

/** Whether the same request may succeed when it is sent again later. */
export function isTransient(error: IntakeError): boolean {
  const { status = /^(Connection|Timeout)/.test(error.name) ? 500 : 0 } = error as Partial<ApiError>;
  return status >= 500 || status === 429 || status === 408;
}

/** How long to wait after so many failures: a random part (full jitter) of 0.5 s, 1 s, 2 s … and at most of `maxMs`. */
export function backoffMs(failures: number, maxMs: number): number {
  return Math.random() * Math.min(maxMs, 500 * 2 ** failures);
}

/** Calls the logger, if there is one. Ignores its errors, so that a faulty logger cannot break a call. */
export function logTo(
  logger: Logger | undefined,
  level: keyof Logger,
  message: string,
  fields: Record<string, unknown>,
) {
  try {
    const returned: unknown = logger?.[level](message, fields);
    if (returned instanceof Promise) returned.catch(() => {});
  } catch {}
}

/**
 * One try, including the answer's body. A body that is cut off counts as a failed connection and is retried: the
 * idempotency key keeps the repeat from creating anything twice.
 */
async function attemptOf<T>(call: Call, { fetch: request = fetch as Fetch }: TransportOptions, signal: Signal) {
  const { method, headers, body, keepalive } = call;
  const credential = typeof call.credential === "string" ? call.credential : await call.credential();
  let response: HttpResponse;
  let text: string;
  try {
    response = await request(call.baseUrl + call.path, {
      method,
      headers: { ...headers, authorization: `Bearer ${credential}`, "x-intake-sdk": `${sdkName}/${version}` },
      body,
      redirect: "manual",
      // Left out rather than false: Bun takes `keepalive: false` as "open a new connection for this request".
      ...(keepalive && { keepalive }),
      signal,
    });
    text = await textOf(response);
  } catch (error) {
    throw new ConnectionError(`No connection to ${call.baseUrl}: ${reasonOf(error, credential)}`);
  }
  const header = (name: string) => redact(response.headers.get(name) ?? "", credential) || undefined;
  const status = response.redirected || response.type === "opaqueredirect" ? 0 : response.status;
  const requestId = header("x-request-id");
  if (status >= 200 && status < 300) {
    const data = parse(text);
    if (status === call.nothing) return { data: undefined as T, requestId, response };
    if (status === call.status && call.id in data) {
      return { data: data as T, requestId, response };
    }
    throw new ConnectionError(`The answer ${status} is cut or not Intake's.`);
  }
  const bodyText = redact(unescaped(text), credential);
  throw errorFor(status, parse(bodyText), {
    requestId,
    retryAfterMs: readRetryAfter(header("retry-after"), header("date")),
    bodyText: bodyText.slice(0, 10_000),
  });
}

/** How much of an answer is read, in bytes. Answers of Intake are shorter; a longer one comes from something else. */
const answerMax = 200_000;

async function textOf(response: HttpResponse): Promise<string> {
  const reader = (response as Response).body?.getReader();
  // React Native's responses have no stream to read.
  if (!reader) return response.text();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let left = answerMax;
  for (let read = await reader.read(); read.value && left > 0; read = await reader.read()) {
    chunks.push(read.value);
    left -= read.value.length;
  }
  reader.cancel().catch(() => {});
  return new Blob(chunks).text();
}

/** Parses JSON text; an empty object when the text is no JSON. */
function parse(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/**
 * JSON without needless escapes, so that `redact` finds a credential of which the server escaped some characters. Other
 * text is returned unchanged.
 */
function unescaped(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
