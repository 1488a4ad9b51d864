import { type Context, requireAdmin } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import { listSettings, readStoredPublicUrl } from "../core/settings.ts";
import { listMails } from "./list-mails.ts";
import { passwordOf, readMailServer } from "./mail-server.ts";

const shownMax = 20;

/** What admins see of mail: its settings, whether there is a password, and what became of the newest mails. */
export async function showMail({ ctx, tools: { sealing } }: { ctx: Context; tools: { sealing: Sealing } }) {
  requireAdmin(ctx);
  const server = await readMailServer(ctx.store);
  const stored = await ctx.store.one("select id from smtp_password");
  const password = server ? passwordOf(server, sealing).state : stored ? "set" : "none";
  return {
    isSet: server !== undefined,
    /** Links in mails begin with it: none is mailed without one. */
    hasPublicUrl: (await readStoredPublicUrl(ctx.store, ctx.publicUrl)) !== undefined,
    password,
    settings: (await listSettings({ ctx })).filter(({ group }) => group === "Mail"),
    mails: (await listMails({ ctx, input: { limit: shownMax } })).items,
  };
}
