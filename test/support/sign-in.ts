import { addMember } from "../../server/accounts/add-member.ts";
import { startSessionStep } from "../../server/accounts/session.ts";
import type { Target } from "./targets.ts";

/** A member with a session, as a sign-in creates it. */
export async function signIn({ installation: { ctx } }: Pick<Target, "installation">, role: "admin" | "member") {
  const input = { email: `${crypto.randomUUID()}@example.org`, name: role, role };
  const { id } = await addMember({ ctx, input });
  const secret = crypto.randomUUID().replaceAll("-", "");
  const visit = { userAgent: null, network: undefined };
  await ctx.store.write(function* (tx) {
    yield* startSessionStep(
      tx,
      { id: ctx.newId(), secret },
      { memberId: id, visit, now: ctx.now(), method: "password" },
    );
  });
  return { id, cookie: `other=1; __Host-intake=${secret}` };
}
