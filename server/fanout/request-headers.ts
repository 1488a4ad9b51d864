import { version } from "../../package.json";
import type { Row } from "../store/store.ts";
import type { Sealing } from "./sealing.ts";
import { signedHeaders } from "./signature.ts";
import { headersAbout, secretAbout } from "./subscriber.ts";

/** What sending to a subscriber takes. */
export const sendingColumns = "id, url, headers, secret, previous_secret, previous_until";

export interface SendingRow extends Row {
  id: string;
  url: string;
  headers: Uint8Array | null;
  secret: Uint8Array;
  previous_secret: Uint8Array | null;
  previous_until: number | null;
}

/** Own headers first: ours cannot be replaced. */
export function requestHeaders(
  { sealing, now }: { sealing: Sealing; now: number },
  subscriber: SendingRow,
  message: { id: string; body: Uint8Array },
): Record<string, string> {
  const { id, headers, secret, previous_secret, previous_until } = subscriber;
  const own: Record<string, string> = headers === null ? {} : JSON.parse(sealing.open(headers, headersAbout(id)));
  const both = previous_secret !== null && previous_until !== null && previous_until > now;
  const sealed = both ? [secret, previous_secret] : [secret];
  const secrets = sealed.map((one) => sealing.open(one, secretAbout(id)));
  return {
    ...own,
    "content-type": "application/json",
    "user-agent": `Intake/${version}`,
    ...signedHeaders({ ...message, secrets }, now),
  };
}
