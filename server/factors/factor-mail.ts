import type { Context } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import { type NewMail, newMail } from "../mail/new-mail.ts";

const dayMilliseconds = 86_400_000;

/** The mail that tells a person that a way to sign in to the account was added or taken away. */
export async function factorMail(
  ctx: Pick<Context, "store" | "newId" | "now">,
  sealing: Sealing,
  memberId: string,
  what: string,
): Promise<NewMail | undefined> {
  const row = await ctx.store.one<{ name: string; email: string | null; organisation: string | null }>(
    "select name, email, (select name from organisation limit 1) as organisation from member where id = $1",
    [memberId],
  );
  if (!row || row.email === null) return undefined;
  const organisation = row.organisation ?? "Intake";
  return newMail(ctx, sealing, {
    kind: "notice",
    to: row.email,
    subject: `How you sign in to ${organisation} on Intake has changed`,
    text: `Hello ${row.name},\n\n${what} (${new Date(ctx.now()).toUTCString()})\n\nIf it was not you, tell an admin at once.`,
    foot: `You get this mail because you have an account at ${organisation}.`,
    lasts: 2 * dayMilliseconds,
  });
}
