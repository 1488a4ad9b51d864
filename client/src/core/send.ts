import { type ApiError, ConnectionError, errorFor, type IntakeError } from "./errors.ts";
import { reasonOf, redact } from "./redact.ts";
import { retryAfterMs } from "./retry-after.ts";
import { sdkName, version } from "./version.ts";
import type { Fetch, HttpResponse, Signal } from "./web.ts";
import { pause, within } from "./within.ts";

/** Takes what the SDK has to say. `fields` never hold a credential. */
export interface Logger {
  debug(message: string, fields: Record<string, unknown>): void;
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** How calls are made; every client takes these. */
export interface TransportOptions {
  /** Instead of the platform's `fetch`. */
  fetch?: Fetch | undefined;
  /** For one try, its body included, in milliseconds. 30,000 unless told. */
  timeoutMs?: number | undefined;
  /** For all tries and the waits between them, in milliseconds. 120,000 unless told. */
  deadlineMs?: number | undefined;
  /** Tries after the first. 2 unless told; 0 means none. */
  maxRetries?: number | undefined;
  /** A `Retry-After` up to this is waited for, above it the error is thrown at once. Milliseconds, 60,000 unless told. */
  maxRetryAfterMs?: number | undefined;
  /** None unless told. */
  logger?: Logger | undefined;
}

/** What a single call may have of its own. */
export interface CallOptions extends Pick<TransportOptions, "timeoutMs" | "deadlineMs" | "maxRetries"> {
  /** Aborting ends tries and waits at once. */
  signal?: Signal | undefined;
}

/** An operation as the document has it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The member of its answer by which it is known. */
  readonly id: string;
  /** The status of an answer without a body, where there is one. */
  readonly nothing?: number;
}

export interface Call extends Operation {
  baseUrl: string;
  credential: string | (() => Promise<string>);
  headers: Record<string, string>;
  body: string | ArrayBuffer;
  keepalive?: boolean;
  /** Shared by all calls with one credential: a 429 holds each of them. */
  hold?: Hold;
}

/** Until when (`performance.now()`) nothing is to be sent, and why. */
export interface Hold {
  until: number;
  error?: IntakeError;
}

/** A `Retry-After` beyond a day is a mistake. */
const holdMaxMs = 86_400_000;

export interface Answer<T> {
  data: T;
  requestId: string | undefined;
  response: HttpResponse;
}

/** Sends until it is answered or the tries are spent. Throws an {@link IntakeError} and nothing else. */
export async function send<T>(call: Call, options: TransportOptions, own: CallOptions): Promise<Answer<T>> {
  const { hold = { until: 0 } } = call;
  const deadline = performance.now() + (own.deadlineMs ?? options.deadlineMs ?? 120_000);
  /** `asked` is the part of it that the server wants. */
  const waitFor = async (ms: number, asked: number, error: IntakeError | undefined) => {
    if (asked > (options.maxRetryAfterMs ?? 60_000) || performance.now() + ms >= deadline) throw error;
    await pause(ms, own.signal);
  };
  for (let attempt = 0; ; ) {
    for (let held = heldMs(hold); held; held = heldMs(hold)) await waitFor(held, held, hold.error);
    try {
      const left = Math.min(own.timeoutMs ?? options.timeoutMs ?? 30_000, Math.ceil(deadline - performance.now()));
      return await within<Answer<T>>(left, own.signal, (signal) => attemptOf(call, options, signal));
    } catch (thrown) {
      const error = thrown as IntakeError;
      const { status, retryAfterMs: asked } = error as Partial<ApiError>;
      if (status === 429) {
        hold.until = Math.max(hold.until, performance.now() + Math.min(asked ?? 0, holdMaxMs));
        hold.error = error;
      }
      const wait = asked ?? backoffMs(attempt, 8_000);
      if (!(attempt++ < (own.maxRetries ?? options.maxRetries ?? 2)) || !isTransient(error)) throw error;
      tell(options.logger, "debug", "retry", { attempt, waitMs: wait, error: error.toJSON() });
      await waitFor(wait, asked ?? 0, error);
    }
  }
}

/** Milliseconds; 0 when nothing holds. */
export function heldMs({ until }: Hold): number {
  return Math.max(0, until - performance.now());
}

/** Whether the same request may succeed later. */
export function isTransient(error: IntakeError): boolean {
  const { status = /^(Connection|Timeout)/.test(error.name) ? 500 : 0 } = error as Partial<ApiError>;
  return status >= 500 || status === 429 || status === 408;
}

/** Full jitter: between nothing and 0.5 s, 1 s, 2 s … up to `most`. */
export function backoffMs(failures: number, most: number): number {
  return Math.random() * Math.min(most, 500 * 2 ** failures);
}

/** A logger that throws is not the caller's trouble. */
export function tell(
  logger: Logger | undefined,
  level: keyof Logger,
  message: string,
  fields: Record<string, unknown>,
) {
  try {
    const said: unknown = logger?.[level](message, fields);
    if (said instanceof Promise) said.catch(() => {});
  } catch {}
}

/** One try, up to the end of its body: a cut answer is worth another try, because a repeat creates nothing new. */
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
      // Only when wanted: to Bun, false means a new connection for each call.
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
    retryAfterMs: retryAfterMs(header("retry-after"), header("date")),
    bodyText: bodyText.slice(0, 10_000),
  });
}

/** No answer of the server is longer, so of what is, no more is read. Bytes. */
const answerMax = 200_000;

async function textOf(response: HttpResponse): Promise<string> {
  const reader = (response as Response).body?.getReader();
  // React Native has no streams.
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

/** The object that the text is; an empty one when it is none. */
function parse(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** JSON may have a credential escaped: written anew, it stands there as it is. */
function unescaped(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
