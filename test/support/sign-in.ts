import { addMember } from "../../server/access/add-member.ts";
import { hashOf } from "../../server/access/credential.ts";
import type { Target } from "./targets.ts";

/** A member with a session, as a sign-in leaves it. */
export async function signIn({ installation: { ctx } }: Pick<Target, "installation">, role: "admin" | "member") {
  const input = { email: `${crypto.randomUUID()}@example.org`, name: role, role };
  const { id } = await addMember({ ctx, input });
  const secret = crypto.randomUUID().replaceAll("-", "");
  await ctx.store.write(function* (tx) {
    yield* tx.run("insert into session (hash, member_id, created_at, expires_at) values ($1, $2, $3, $4)", [
      hashOf(secret),
      id,
      ctx.now(),
      ctx.now() + 60_000,
    ]);
  });
  return { id, cookie: `other=1; intake_session=${secret}` };
}
