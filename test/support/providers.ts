import { addMember } from "../../server/accounts/add-member.ts";
import { newSession, startSessionStep } from "../../server/accounts/session.ts";
import { readSealing } from "../../server/core/open-sealing.ts";
import type { Sealing } from "../../server/core/sealing.ts";
import { addProvider } from "../../server/providers/add-provider.ts";
import { updateProvider } from "../../server/providers/update-provider.ts";
import { SsrfGuard } from "../../server/webhooks/addresses/ssrf-guard.ts";
import type { Target } from "./targets.ts";

const addresses = new SsrfGuard({ allow: ["127.0.0.0/8"] });

let people = 0;
/** A person at a provider who was never seen before. */
export function somebody(claims: Record<string, unknown> = {}) {
  const sub = `person-${++people}`;
  return { sub, email: `${sub}@example.org`, email_verified: true, name: sub, ...claims };
}

function sealingOf({ installation: { folder } }: Target): Sealing {
  return readSealing(`${folder}/secret.key`, undefined);
}

/** Adds a provider as the command line does beside the server. */
export async function add(
  target: Target,
  provider: { url: string; clientId: string; secret: string },
  id: string,
  fields: Partial<Parameters<typeof addProvider>[0]["input"]>,
) {
  const { url: issuer, clientId, secret } = provider;
  const input = { id, name: id, issuer, clientId, secret, ...fields };
  return addProvider({ ctx: target.installation.ctx, tools: { sealing: sealingOf(target), addresses }, input });
}

export function update(target: Target, id: string, fields: Omit<Parameters<typeof updateProvider>[0]["input"], "id">) {
  const tools = { sealing: sealingOf(target), addresses };
  return updateProvider({ ctx: target.installation.ctx, tools, input: { id, ...fields } });
}

/** A member with a session and the cookie of it. */
export async function member({ installation: { ctx } }: Target) {
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await addMember({ ctx, input: { email, name: "Someone", role: "member" } });
  const session = newSession(ctx);
  const visit = { userAgent: null, network: undefined };
  await ctx.store.write((tx) =>
    startSessionStep(tx, session, { memberId: id, visit, now: ctx.now(), method: "password" }),
  );
  return { id, email, session: session.secret };
}
