import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import type { Sealing } from "../../core/sealing.ts";
import { AddressRefused, type SsrfGuard } from "../addresses/ssrf-guard.ts";
import { formatBody } from "../formats/format-body.ts";
import { requestOf, type SendingRow, sendingColumns } from "../messages/request.ts";
import { isLost } from "../messages/sealed-columns.ts";
import type { Connections } from "../sender/connections.ts";
import { type Posted, post } from "../sender/post.ts";

export interface TestTools {
  sealing: Sealing;
  addresses: SsrfGuard;
  connections: Connections;
}

export interface TestResult {
  accepted: boolean;
  status?: number;
  /** From a closed list; absent when the message was accepted. */
  error?: string;
  /** Why nothing could be sent, as a sentence. */
  message?: string;
  ms?: number;
  /** The signature and the text that it signs, so that a person can compare them with what the receiver got. */
  sent?: Record<string, string>;
  /** Headers of the answer. */
  headers?: Record<string, string>;
  /** The beginning of the answer's body. */
  answer?: string;
}

/**
 * Sends `webhook.test` now, signed and with the subscriber's own headers like any other message, in every state.
 * Nothing is stored, and the health of the subscriber does not change.
 */
export async function testSubscriber({
  ctx,
  tools: { sealing, addresses, connections },
  input: { id },
}: {
  ctx: Context;
  tools: TestTools;
  input: { id: string };
}): Promise<TestResult> {
  requireAdmin(ctx);
  const subscriber = await ctx.store.one<SendingRow>(
    `select s.id, ${sendingColumns} from subscriber s where s.id = $1`,
    [id],
  );
  if (!subscriber) throw new Refusal("not_found", `there is no subscriber ${id}`);
  if (isLost(subscriber.secret)) {
    throw new Refusal("conflict", "its secret is lost; intake subscriber rotate-secret makes a new one");
  }
  const now = ctx.now();
  const message = { type: "webhook.test", timestamp: new Date(now).toISOString(), data: { subscriberId: id } };
  const body = await formatBody(ctx.store, subscriber.format, Buffer.from(JSON.stringify(message)));
  const request = requestOf({ sealing, now }, subscriber, { id: ctx.newId(), body });
  try {
    const target = await addresses.resolve(subscriber.url);
    const posted = await post(target, { ...request, connections });
    return { ...present(posted), sent: signed(request.headers) };
  } catch (error) {
    if (error instanceof AddressRefused) return { accepted: false, error: error.fault, message: error.message };
    throw error;
  }
}

function present({ status, error, took, headers, answer }: Posted): TestResult {
  return {
    accepted: error === undefined,
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? {} : { error }),
    ms: took,
    ...(headers === undefined ? {} : { headers }),
    answer,
  };
}

/** The request headers without the subscriber's own ones, whose values are never shown. */
function signed(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("webhook-")));
}
