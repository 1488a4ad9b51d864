import type { Context } from "../core/context.ts";
import { isMailAddress } from "../core/mail-address.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Step, Tx } from "../core/store.ts";
import type { MailContent } from "./content.ts";
import { mailIsSetStep } from "./mail-server.ts";
import { cut, oneLine } from "./one-line.ts";

type MailKind = "invite" | "reset" | "notice";

/** A mail that is ready to be stored. */
export interface NewMail {
  id: string;
  kind: MailKind;
  to: string;
  subject: string;
  body: Uint8Array;
  createdAt: number;
  expiresAt: number;
}

/** What the body of a mail is sealed for. */
export const bodyAbout = (id: string) => `mail ${id}`;

/** Mails that may wait at the same time; one more is not stored. */
const waitingMax = 2_000;
const subjectMax = 200;
const textMax = 20_000;

/**
 * Makes a mail, outside of a write. `lasts`: after so many milliseconds it is of no use to its reader and is not sent
 * any more. A subject becomes one line; a text that is too long is cut.
 */
export function newMail(
  ctx: Pick<Context, "newId" | "now">,
  sealing: Sealing,
  {
    kind,
    to,
    subject,
    lasts,
    ...content
  }: { kind: MailKind; to: string; subject: string; lasts: number } & MailContent,
): NewMail {
  const [id, now] = [ctx.newId(), ctx.now()];
  const body = sealing.seal(JSON.stringify({ ...content, text: cut(content.text, textMax) }), bodyAbout(id));
  return { id, kind, to, subject: oneLine(subject, subjectMax), body, createdAt: now, expiresAt: now + lasts };
}

/**
 * Stores a mail with what causes it: it is sent if that is committed, and never otherwise. Returns false when nothing
 * is mailed: no mail server is set, too many mails wait, or the address is none that mail can be sent to.
 */
export function* queueMail(tx: Tx, mail: NewMail): Step<boolean> {
  if (!isMailAddress(mail.to) || !(yield* mailIsSetStep(tx))) return false;
  const waiting = yield* tx.one<{ count: number }>(
    `select cast(count(*) as integer) as count from (select 1 from mail where state = 'waiting' limit ${waitingMax}) w`,
  );
  if ((waiting?.count ?? 0) >= waitingMax) return false;
  yield* tx.run(
    `insert into mail (id, kind, recipient, subject, body, state, created_at, expires_at, next_at, attempts)
     values ($1, $2, $3, $4, $5, 'waiting', $6, $7, $6, 0)`,
    [mail.id, mail.kind, mail.to, mail.subject, mail.body, mail.createdAt, mail.expiresAt],
  );
  return true;
}
