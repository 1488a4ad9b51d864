import type { treaty } from "@elysiajs/eden";
import type { ErrorBody } from "../../../../openapi/schema/errors.ts";
import type { App } from "../../../app/routes.ts";
import { callsAt } from "./calls.ts";
import { sentence } from "./sentence.ts";

/** The calls of this server, typed from its routes. */
export const api = (callsAt("") as ReturnType<typeof treaty<App>>).internal;

/** Why a call failed, as a sentence for people. */
export class CallFailed extends Error {
  override name = "CallFailed";
  constructor(
    /** The status of the answer; 0 when there was none. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Partial<ErrorBody> & Record<string, unknown> = {},
    /** `X-Request-Id` of the answer, to be quoted to the operator. */
    readonly requestId: string | undefined = undefined,
    /** Seconds after which the call may be tried again. */
    readonly retrySeconds: number | undefined = undefined,
  ) {
    super(message);
  }
}

interface Answered<Data> {
  data: Data | null;
  error: { status: unknown; value: unknown } | null;
  response?: Response;
}

/** The answer's value, or {@link CallFailed}. `await done(api.tokens.get())` */
export async function done<Data>(call: Promise<Answered<Data>>): Promise<NonNullable<Data>> {
  let answered: Answered<Data>;
  try {
    answered = await call;
  } catch {
    throw new CallFailed(0, "offline", noAnswer);
  }
  const { data, error, response } = answered;
  if (!error && data !== null && data !== undefined) return data as NonNullable<Data>;
  // The browser's own message is left out, because each browser words it differently.
  if (!response) throw new CallFailed(0, "offline", noAnswer);
  throw failureIn(response, error?.value);
}

/** The failure that an answer tells, by its JSON. */
export function failureIn(response: Response, value: unknown): CallFailed {
  const body = isErrorBody(value) ? value : undefined;
  return new CallFailed(
    response.status,
    body?.error ?? `http_${response.status}`,
    sentence(faultsOf(body) ?? body?.message ?? foreignAnswer(response)),
    body,
    response.headers.get("x-request-id") ?? undefined,
    Number(response.headers.get("retry-after")) || undefined,
  );
}

/** A proxy may answer with JSON too, whose members have other types. */
function isErrorBody(value: unknown): value is Partial<ErrorBody> & Record<string, unknown> {
  const { error, message = "", details = [] } = (value ?? {}) as Record<string, unknown>;
  const isTexts = typeof error === "string" && typeof message === "string";
  return isTexts && Array.isArray(details) && details.every((fault) => typeof fault?.path === "string");
}

/** An answer that is not Intake's, such as a proxy's page to sign in, which comes with the status of success. */
function foreignAnswer({ ok, status }: Response): string {
  return ok
    ? "A server in front of Intake answered with a page of its own. Reload this page: you may have to sign in there."
    : `A server in front of Intake answered ${status}. Try again.`;
}

export const noAnswer = "No answer came. Check the connection and try again.";

function faultsOf({ details }: Partial<ErrorBody> = {}): string | undefined {
  if (!details || details.length === 0) return undefined;
  return details.map(({ path, message }) => `${path.slice(1) || "The body"}: ${message}`).join(" ");
}
