import { isIP } from "node:net";
import { Refusal } from "./context.ts";
import type { Step, Tx } from "./store.ts";

/** Why mails are not sent without encryption, and what to do. */
export const plainRefused = {
  words: "smtp_security is none, and the mail server is not this machine",
  remedy: "set smtp_security to starttls or tls; or, if everybody on the way may read mails, to none-anywhere",
} as const;

/** Whether the host is this machine, so that nobody is on the way to it. */
export function isThisMachine(host: string): boolean {
  if (isIP(host) === 0) return host === "localhost" || host.endsWith(".localhost");
  return /^127\./.test(host) || host === "::1";
}

/** Refuses the settings as they are within a transaction when no mail would ever be sent with them. */
export function* requirePlainMailHere(tx: Tx): Step<void> {
  const set = yield* tx.one<{ value: string }>(
    `select host.value from setting host join setting security on security.name = 'smtp_security'
     where host.name = 'smtp_host' and security.value = 'none'`,
  );
  if (set && !isThisMachine(set.value)) {
    throw new Refusal("invalid_input", `${plainRefused.words}; ${plainRefused.remedy}`);
  }
}
