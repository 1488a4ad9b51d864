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
  const body = (error?.value ?? {}) as Partial<ErrorBody> & Record<string, unknown>;
  throw new CallFailed(
    response.status,
    body.error ?? `http_${response.status}`,
    sentence(faultsOf(body) ?? body.message ?? `A server in front of Intake answered ${response.status}. Try again`),
    body,
    response.headers.get("x-request-id") ?? undefined,
    Number(response.headers.get("retry-after")) || undefined,
  );
}

export const noAnswer = "No answer came. Check the connection and try again.";

function faultsOf({ details }: Partial<ErrorBody>): string | undefined {
  if (!details || details.length === 0) return undefined;
  return details.map(({ path, message }) => `${path.slice(1) || "The body"}: ${message}`).join(" ");
}
