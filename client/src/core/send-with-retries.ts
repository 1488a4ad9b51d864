import { type ApiError, ConnectionError, errorFor, type IntakeError } from "./errors.ts";
import { readChunks } from "./read-chunks.ts";
import { reasonOf, redact } from "./redact.ts";
import { readRetryAfter } from "./retry-after.ts";
import { sdkName, version } from "./version.ts";
import type { Fetch, HttpResponse, Signal } from "./web-types.ts";
import { type Closing, withTimeout } from "./with-timeout.ts";

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
  /**
   * Further headers of every request, for a proxy that asks for its own credential. The headers of this package, among them
   * `Authorization`, cannot be replaced. Servers allow them in pages only by CORS.
   */
  headers?: Record<string, string> | undefined;
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
  /** Status of a successful answer without a body, for operations that have one; its `data` is an empty object. */
  readonly _nothing?: number;
}

interface Call extends Operation {
  _baseUrl: string;
  /** The credential, or a function that is called for it at every try. */
  _credential: string | (() => Promise<string>);
  headers: Record<string, string>;
  body: string | ArrayBuffer;
  /** True or undefined: Bun takes false as "open a new connection for this request". */
  keepalive?: true | undefined;
  /** Called before every try; undefined when it may begin at once. */
  _held?(waitFor: WaitFor): Promise<void> | undefined;
  /** Called with the error of every try. */
  _failed?(error: IntakeError): void;
  _closing?: Closing;
}

/**
 * Waits between tries; throws `error` where the wait would be too long. `retryAfterMs` is what the server asked for; undefined when it
 * did not, and the wait is a backoff.
 */
type WaitFor = (ms: number, retryAfterMs: number | undefined, error: IntakeError | undefined) => Promise<void>;

/** Longest `Retry-After` that is respected, in milliseconds. One of more than a day is taken for a mistake of the server. */
export const retryAfterMaxMs = 86_400_000;

export interface Answer<T> {
  data: T;
  requestId: string | undefined;
  response: HttpResponse;
}

/** Sends a request until it is answered with success or the tries are used up. Throws only {@link IntakeError}s. */
export async function send<T>(call: Call, options: TransportOptions, callOptions: CallOptions): Promise<Answer<T>> {
  const deadline = performance.now() + (callOptions.deadlineMs ?? options.deadlineMs ?? 120_000);
  const waitFor: WaitFor = async (ms, retryAfterMs = 0, error) => {
    if (retryAfterMs > (options.maxRetryAfterMs ?? 60_000) || performance.now() + ms >= deadline) throw error;
    await withTimeout(ms, callOptions.signal, undefined, call._closing);
  };
  for (let attempt = 0; ; ) {
    for (let held = call._held?.(waitFor); held; held = call._held?.(waitFor)) await held;
    try {
      return await withTimeout<Answer<T>>(
        Math.min(callOptions.timeoutMs ?? options.timeoutMs ?? 30_000, Math.ceil(deadline - performance.now())),
        callOptions.signal,
        (signal) => attemptOf(call, options, signal),
        call._closing,
      );
    } catch (thrown) {
      const error = thrown as IntakeError & Partial<ApiError>;
      call._failed?.(error);
      const waitMs = error.retryAfterMs ?? backoffMs(attempt, 8_000);
      if (!(attempt++ < (callOptions.maxRetries ?? options.maxRetries ?? 2)) || !isTransient(error)) throw error;
      void logTo(options.logger, "debug", "retry", { attempt, waitMs, error: error.toJSON() });
      await waitFor(waitMs, error.retryAfterMs, error);
    }
  }
}

/** Whether the same request may succeed when it is sent again later: no answer, 408, 429 and 5xx. */
export function isTransient(error: IntakeError): boolean {
  return /^(Conn|Time|Rate|Serv)/.test(error.name) || (error as Partial<ApiError>).status === 408;
}

/** How long to wait after so many failures: a random part (full jitter) of 0.5 s, 1 s, 2 s … and at most of `maxMs`. */
export function backoffMs(failures: number, maxMs: number): number {
  return Math.random() * Math.min(maxMs, 500 * 2 ** failures);
}

/** Calls the logger at once, if there is one. Ignores its errors, so that a faulty logger cannot break a call. */
export async function logTo(
  logger: Logger | undefined,
  level: keyof Logger,
  message: string,
  fields: Record<string, unknown>,
) {
  try {
    await logger?.[level](message, fields);
  } catch {}
}

/**
 * One try, including the answer's body. A body that is cut off counts as a failed connection and is retried: the
 * idempotency key keeps the repeat from creating anything twice.
 */
async function attemptOf<T>(
  call: Call,
  { fetch: request = fetch as Fetch, headers: further }: TransportOptions,
  signal: Signal,
): Promise<Answer<T>> {
  const authorization = `Bearer ${typeof call._credential === "string" ? call._credential : await call._credential()}`;
  // In lower case, so that the headers of the client replace them.
  const all: Record<string, string> = {};
  for (const name in further) all[name.toLowerCase()] = further[name] as string;
  let response: HttpResponse;
  let text: string;
  try {
    response = await request(call._baseUrl + call.path, {
      method: call.method,
      headers: { ...all, ...call.headers, authorization, "x-intake-sdk": `${sdkName}/${version}` },
      body: call.body,
      redirect: "manual",
      keepalive: call.keepalive as true,
      signal,
    });
    const reader = (response as Response).body?.getReader();
    // React Native's responses have no stream to read. Answers of Intake are shorter than 200 kB; a longer one comes from something else.
    text = await (reader ? new Blob(await readChunks(reader, 200_000)).text() : response.text());
  } catch (error) {
    throw new ConnectionError(`No connection to ${call._baseUrl}: ${reasonOf(error)}`);
  }
  const header = (name: string) => redact(response.headers.get(name) ?? "") || undefined;
  // Where a platform has followed a redirect all the same, the answer is another's.
  const status = response.redirected ? 0 : response.status;
  const requestId = header("x-request-id");
  if (status >= 200 && status < 300) {
    const data = parse(text);
    if (status === call._nothing || (status === call.status && call.id in data))
      return { data: data as T, requestId, response };
    throw new ConnectionError(`Answer ${status} is cut or not Intake's.`);
  }
  try {
    // Without needless escapes, so that `redact` finds a credential of which the server escaped some characters.
    text = JSON.stringify(JSON.parse(text));
  } catch {}
  text = redact(text);
  throw errorFor(status, parse(text), {
    requestId,
    retryAfterMs: readRetryAfter(header("retry-after"), header("date")),
    bodyText: text.slice(0, 10_000),
  });
}

/** Parses JSON text; an empty object when the text is no JSON. */
function parse(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
