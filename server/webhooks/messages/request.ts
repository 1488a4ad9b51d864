import { version } from "../../../package.json";
import type { Sealing } from "../../core/sealing.ts";
import type { SubscriberRow } from "../subscribers/subscriber-row.ts";
import { headersAbout, secretAbout } from "./sealed-columns.ts";
import { signedHeaders } from "./signature.ts";

const sendingNames = ["url", "format", "headers", "secret", "previous_secret", "previous_until"] as const;

/** The columns of a subscriber, beside its id, that a request to it is made from. */
export const sendingColumns = sendingNames.map((name) => `s.${name}`).join(", ");

export type SendingRow = Pick<SubscriberRow, "id" | (typeof sendingNames)[number]>;

/**
 * Makes the request that delivers a message to a subscriber, signed at `now` (epoch milliseconds). Headers of the
 * subscriber replace the default ones, but none that the message needs.
 */
export function requestOf(
  { sealing, now }: { sealing: Sealing; now: number },
  subscriber: SendingRow,
  message: { id: string; body: Uint8Array },
): { headers: Record<string, string>; body: Uint8Array } {
  const { id, headers, secret, previous_secret, previous_until } = subscriber;
  const ownHeaders: Record<string, string> =
    headers === null ? {} : JSON.parse(sealing.open(headers, headersAbout(id)));
  const both = previous_secret !== null && previous_until !== null && previous_until > now;
  const sealed = both ? [secret, previous_secret] : [secret];
  const secrets = sealed.map((one) => sealing.open(one, secretAbout(id)));
  return {
    headers: {
      ...defaults(ownHeaders),
      ...ownHeaders,
      "content-type": "application/json",
      ...signedHeaders({ ...message, secrets }, now),
    },
    body: message.body,
  };
}

/** Compares names of headers without upper and lower case, which the keys of an object do not. */
function defaults(ownHeaders: Record<string, string>): Record<string, string> {
  const given = Object.keys(ownHeaders).some((name) => name.toLowerCase() === "user-agent");
  return given ? {} : { "user-agent": `Intake/${version}` };
}
