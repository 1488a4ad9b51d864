import type { Context } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import { readStoredPublicUrl } from "../core/settings.ts";
import { type NewMail, newMail } from "../mail/new-mail.ts";
import { linkPath, type NewLink } from "./new-link.ts";

/** What use cases that make links need to mail them; without it they mail nothing. */
export interface LinkMailTools {
  sealing: Sealing;
}

/** Why somebody gets a link: invited, reset by an admin, or asked for by whoever knows the address. */
type Reason = "invite" | "reset" | "forgotten";

/**
 * The mail that brings a member a link. Undefined when nobody has said under which address people reach this
 * installation: an address out of a request may be a stranger's.
 */
export async function linkMail(
  ctx: Pick<Context, "store" | "newId" | "now" | "publicUrl"> & Partial<Pick<Context, "actor">>,
  tools: LinkMailTools | undefined,
  link: NewLink,
  { member: { email, name }, reason }: { member: { email: string | null; name: string }; reason: Reason },
): Promise<NewMail | undefined> {
  const publicUrl = await readStoredPublicUrl(ctx.store, ctx.publicUrl);
  if (tools === undefined || publicUrl === undefined || email === null) return undefined;
  const row = await ctx.store.one<{ name: string }>("select name from organisation");
  const organisation = row?.name ?? "Intake";
  const who = ctx.actor?.kind === "member" ? ctx.actor.name : "An admin";
  const until = new Date(link.until).toUTCString();
  return newMail(ctx, tools.sealing, {
    kind: link.kind,
    to: email,
    subject: link.kind === "invite" ? `Join ${organisation} on Intake` : `A new password for ${organisation} on Intake`,
    text: `Hello ${name},\n\n${says(reason, who, organisation)}\n\nThe link works once, until ${until}.`,
    link: { url: publicUrl + linkPath(link), label: "Choose a password" },
    foot: foots[reason],
    lasts: link.until - link.createdAt,
  });
}

function says(reason: Reason, who: string, organisation: string): string {
  if (reason === "invite") return `${who} invites you to ${organisation} on Intake. Choose a password to join.`;
  if (reason === "reset") {
    return `${who} has reset your password for ${organisation} on Intake, and you are signed out everywhere. Choose a new one.`;
  }
  return `Somebody has asked for a new password for your account at ${organisation} on Intake. If it was you, choose one.`;
}

const foots = {
  invite: "You get this mail because an admin has entered your address. If you expect no invitation, delete it.",
  reset: "You get this mail because you are a member. An admin can tell you why the password was reset.",
  forgotten: "If it was not you, delete this mail: your password stays as it is.",
} as const;
