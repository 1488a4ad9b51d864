import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import { readSettings } from "../core/settings.ts";
import { passwordAbout } from "./mail-server.ts";

const passwordMax = 1_000;

/** Stores the password for the mail server that is set, sealed for that server alone. An empty one is taken away. */
export async function setMailPassword({
  ctx,
  tools: { sealing },
  input: { password },
}: {
  ctx: Context;
  tools: { sealing: Sealing };
  input: { password: string };
}): Promise<{ password: "set" | "none" }> {
  requireAdmin(ctx);
  if (password.length > passwordMax || /[\p{Cc}]/u.test(password)) {
    throw new Refusal("invalid_input", `the password must be one line of at most ${passwordMax} characters`);
  }
  const { smtp_host: host } = await readSettings(ctx.store);
  if (password !== "" && host === null) {
    throw new Refusal(
      "conflict",
      "Set the mail server first (smtp_host): the password is stored for that server alone.",
    );
  }
  const sealed = password === "" ? null : sealing.seal(password, passwordAbout(host ?? ""));
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    yield* tx.run("delete from smtp_password");
    if (sealed) yield* tx.run("insert into smtp_password (id, sealed) values (1, $1)", [sealed]);
    yield* audit(tx, ctx, auditId, sealed ? "mail.password" : "mail.forget_password", "mail server");
  });
  return { password: sealed ? "set" : "none" };
}
