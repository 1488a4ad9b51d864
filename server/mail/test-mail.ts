import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { requireMailAddress } from "../core/mail-address.ts";
import type { Sealing } from "../core/sealing.ts";
import { readPublicUrl } from "../core/settings.ts";
import { faultWords, type MailFaultCode } from "./faults.ts";
import { passwordOf, readMailServer } from "./mail-server.ts";
import { type SendTiming, sendMessage } from "./send-message.ts";

interface TestedMail {
  to: string;
  /** The mail server has accepted the mail; whether it reaches a mailbox is told by nobody. */
  accepted: boolean;
  /** What has worked, in order. */
  steps: string[];
  fault: MailFaultCode | null;
  /** What has not, and what to do about it. */
  problem: string | null;
}

/** Sends a mail now, without storing it, and says how far it came. `to`: the admin who asks unless it is given. */
export async function testMail({
  ctx,
  tools: { sealing, ca, timing },
  input,
}: {
  ctx: Context;
  tools: { sealing: Sealing; ca: readonly string[]; timing?: SendTiming };
  input: { to?: string | undefined };
}): Promise<TestedMail> {
  requireAdmin(ctx);
  const server = await readMailServer(ctx.store);
  if (!server) throw new Refusal("conflict", "No mail server is set: set smtp_host and mail_from.");
  const to = requireMailAddress(input.to ?? (await ownAddress(ctx)) ?? server.from);
  const [id, auditId, createdAt] = [ctx.newId(), ctx.newId(), ctx.now()];
  const publicUrl = await readPublicUrl(ctx.store, ctx.publicUrl);
  const text = `This is a test of how Intake at ${publicUrl} sends mails.\n\nIt has arrived, so invitations, password links and notices will.`;
  const message = {
    id,
    from: server.from,
    name: server.name,
    to,
    subject: "A test mail of Intake",
    createdAt,
    content: { text },
  };
  const steps: string[] = [];
  const failed = await sendMessage(server, message, {
    password: passwordOf(server, sealing),
    ca,
    timing,
    reached: (step) => steps.push(stepWords(step, server)),
  });
  const fault = failed?.fault ?? null;
  await ctx.store.write((tx) =>
    audit(tx, ctx, auditId, "mail.test", "mail server", { to: fault === null ? { accepted: true } : { fault } }),
  );
  return { to, accepted: failed === undefined, steps, fault, problem: failed ? faultWords(failed) : null };
}

async function ownAddress({ store, actor }: Context): Promise<string | undefined> {
  if (actor.kind !== "member") return undefined;
  return (await store.one<{ email: string }>("select email from member where id = $1", [actor.id]))?.email;
}

function stepWords(
  step: "connected" | "signed in" | "accepted",
  { host, port, security, user }: { host: string; port: number; security: string; user: string | null },
): string {
  const encrypted = security === "tls" || security === "starttls";
  if (step === "connected") return `connected to ${host}:${port}, ${encrypted ? "encrypted" : "not encrypted"}`;
  return step === "signed in" ? `signed in as ${user}` : "the mail server has accepted the mail";
}
