import type { Context } from "../../server/core/context.ts";
import { openSealing } from "../../server/core/open-sealing.ts";
import type { Sealing } from "../../server/core/sealing.ts";
import { setSetting } from "../../server/core/settings.ts";
import { MailSender, type MailSenderTools } from "../../server/mail/mail-sender.ts";
import { newMail, queueMail } from "../../server/mail/new-mail.ts";
import type { Installation } from "./installation.ts";

/** The installation sends its mails to this port of the machine, without encryption. */
export async function setMailServer({ ctx }: Pick<Installation, "ctx">, port: number): Promise<void> {
  const values = {
    smtp_host: "127.0.0.1",
    smtp_port: `${port}`,
    smtp_security: "none",
    mail_from: "intake@example.org",
  };
  for (const [name, value] of Object.entries(values)) await setSetting({ ctx, input: { name, value } });
}

export function sealingOf({ folder, ctx }: { folder: string; ctx: Pick<Context, "store"> }): Promise<Sealing> {
  return openSealing(folder, ctx.store);
}

/** Stores a notice for this address; returns whether it is to be mailed. */
export async function mailTo(
  installation: Pick<Installation, "folder" | "ctx">,
  to: string,
  { subject = "A notice", text = "Something happened.", lasts = 86_400_000 } = {},
): Promise<boolean> {
  const { ctx } = installation;
  const mail = newMail(ctx, await sealingOf(installation), { kind: "notice", to, subject, text, lasts });
  return ctx.store.write((tx) => queueMail(tx, mail));
}

/** A sender that looks often, at the store of an installation. */
export async function newMailSender(
  installation: { folder: string; ctx: Pick<Context, "store" | "now" | "newId"> },
  tools: Partial<MailSenderTools> = {},
): Promise<MailSender> {
  const { store, now, newId } = installation.ctx;
  const sealing = await sealingOf(installation);
  return new MailSender({ store, now, newId, sealing, ca: [], alone: false, every: 10, ...tools });
}
