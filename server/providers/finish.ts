import { newSession, type Visit } from "../accounts/session.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal } from "../core/context.ts";
import { log } from "../core/log.ts";
import { useOnceStep } from "../core/once.ts";
import type { Session } from "../core/session.ts";
import { readPublicUrl } from "../core/settings.ts";
import { admitStep, linkStep, memberOfStep } from "./admit.ts";
import type { ProviderTools } from "./begin.ts";
import { type Flow, flowMilliseconds, type PendingLink, sealInto } from "./flow.ts";
import { type Exchanged, exchange } from "./oidc-client.ts";
import { lacksClaims, type Person, personOf } from "./person.ts";
import { type Failure, ProviderFailed } from "./provider-failed.ts";
import { type Provider, redirectUriOf, requireProvider } from "./provider-row.ts";
import { triedOf } from "./tried.ts";

/** What the browser gets that comes back from a provider. */
export type Finished =
  | { to: "signed-in"; next: string; secret: string; days: number }
  | { to: "linked" | "confirmed" }
  | { to: "tried"; cookie: string }
  | { to: "failed"; failure: Failure; next: string; pending?: string };

const idTokenMax = 16_384;

/**
 * Finishes what a browser began at a provider. `flow` is what its cookie says; everything that the browser brings in
 * the address is checked against it.
 */
export async function finishAtProvider({
  ctx,
  tools,
  input,
}: {
  ctx: Omit<Context, "actor">;
  tools: ProviderTools;
  input: {
    provider: string;
    parameters: URLSearchParams;
    flow: Flow | undefined;
    /** Who is signed in in this browser. */
    session: Session | undefined;
    visit: Visit;
    former: readonly string[];
  };
}): Promise<Finished> {
  const { flow, session } = input;
  // Anybody can open the address, so nothing is written to the log for it.
  if (!flow) return { to: "failed", failure: "stale", next: "/" };
  const { next } = flow;
  try {
    if (flow.provider !== input.provider) throw new ProviderFailed("stale", "another browser began it");
    if (flow.purpose !== "sign-in" && session?.member.id !== flow.member) {
      throw new ProviderFailed("stale", "who began it is signed in no longer");
    }
    const provider = await requireProvider(ctx.store, flow.provider).catch(removed);
    if (provider.state !== "enabled" && flow.purpose !== "try") throw new ProviderFailed("disabled", "it is disabled");
    const exchanged = await exchangeFor(ctx, tools, provider, flow, input.parameters);
    const now = ctx.now();
    const fresh = await ctx.store.write((tx) =>
      useOnceStep(tx, `state ${flow.state}`, { until: flow.until, now, cutoff: ctx.cutoff }),
    );
    if (!fresh) throw new ProviderFailed("stale", "it was finished already");
    const person = personOf(exchanged.claims, provider);
    // One that cannot be kept as it is would be the same as another.
    if (person.subject === "") throw new ProviderFailed("bad_answer", "its subject is too long, or no plain text");
    switch (flow.purpose) {
      case "sign-in":
        return await admit(ctx, tools, { ...input, flow, provider, person, idToken: exchanged.idToken });
      case "link":
        return await linkSelf(ctx, provider, person, session);
      case "confirm":
        return await confirmSelf(ctx, provider, person, session);
      case "try": {
        const tried = { ...triedOf(provider, person, exchanged.claims), until: now + flowMilliseconds };
        return { to: "tried", cookie: sealInto(tools.sealing, "tried", tried) };
      }
    }
  } catch (error) {
    if (!(error instanceof ProviderFailed)) throw error;
    log.warn("a sign-in with a provider failed", {
      provider: input.provider,
      failure: error.failure,
      reason: error.message,
    });
    return { to: "failed", failure: error.failure, next };
  }
}

function removed(error: unknown): never {
  if (error instanceof Refusal) throw new ProviderFailed("disabled", "it was removed");
  throw error;
}

async function exchangeFor(
  ctx: Omit<Context, "actor">,
  { issuers, network, sealing }: ProviderTools,
  provider: Provider,
  { state, nonce, verifier, purpose }: Flow,
  parameters: URLSearchParams,
): Promise<Exchanged> {
  const redirectUri = redirectUriOf(await readPublicUrl(ctx.store, ctx.publicUrl), provider.id);
  const issuer = await issuers.of(provider.issuer);
  return exchange(
    issuer,
    provider,
    { fetch: network.fetch, sealing },
    {
      ...{ parameters, redirectUri, state, nonce, verifier, confirm: purpose === "confirm" },
      wantsMore: (claims) => lacksClaims(claims, provider),
    },
  );
}

async function admit(
  ctx: Omit<Context, "actor">,
  { sealing }: ProviderTools,
  {
    flow,
    provider,
    person,
    idToken,
    visit,
    former,
  }: { flow: Flow; provider: Provider; person: Person; idToken: string; visit: Visit; former: readonly string[] },
): Promise<Finished> {
  const session = newSession(ctx);
  const now = ctx.now();
  const ids = [ctx.newId(), ctx.newId(), ctx.newId(), ctx.newId()];
  const sealed = idToken.length <= idTokenMax ? sealing.seal(idToken, idTokenAbout(session.id)) : null;
  const admission = { provider, person, session, visit, former, idToken: sealed, ids, now };
  const admitted = await ctx.store.write((tx) => admitStep(tx, ctx, admission));
  if ("failure" in admitted) {
    const { failure, memberId } = admitted;
    log.warn("a provider's person was not let in", { provider: provider.id, failure });
    if (failure !== "password" || memberId === undefined) return { to: "failed", failure, next: flow.next };
    const { issuer, subject } = person;
    const until = now + flowMilliseconds;
    const pending: PendingLink = { provider: provider.id, issuer, subject, member: memberId, until };
    return { to: "failed", failure, next: flow.next, pending: sealInto(sealing, "pending", pending) };
  }
  ctx.changed?.({ kind: "member", id: admitted.memberId });
  return { to: "signed-in", next: flow.next, secret: session.secret, days: provider.sessionDays };
}

/** What the id token of a session is sealed for. */
export const idTokenAbout = (sessionId: string) => `id token of session ${sessionId}`;

async function linkSelf(
  ctx: Omit<Context, "actor">,
  provider: Provider,
  person: Person,
  session: Session | undefined,
): Promise<Finished> {
  if (!session) throw new ProviderFailed("stale", "nobody is signed in");
  await linkTo(ctx, person, session);
  log.info("an account was linked", { provider: provider.id });
  return { to: "linked" };
}

/** Links the person at a provider to the member of the session. Throws when it is somebody else's already. */
export async function linkTo(
  ctx: Omit<Context, "actor">,
  { issuer, subject }: Pick<Person, "issuer" | "subject">,
  { member }: Session,
): Promise<void> {
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const holder = yield* memberOfStep(tx, { issuer, subject });
    if (holder?.id === member.id) return;
    if (holder || !(yield* linkStep(tx, { issuer, subject }, { memberId: member.id, now }))) {
      throw new ProviderFailed("other_person", "this person at the provider is linked to another account");
    }
    const to = { issuer, subject };
    yield* audit(tx, { ...ctx, actor: member }, auditId, "member.link", `member ${member.id}`, { to });
  });
  ctx.changed?.({ kind: "member", id: member.id });
}

async function confirmSelf(
  ctx: Omit<Context, "actor">,
  provider: Provider,
  person: Person,
  session: Session | undefined,
): Promise<Finished> {
  const [now, auditId] = [ctx.now(), ctx.newId()];
  const done = await ctx.store.write(function* (tx) {
    const holder = yield* memberOfStep(tx, person);
    if (!session || holder?.id !== session.member.id) return false;
    yield* tx.run("update session set password_at = $2 where id = $1", [session.id, now]);
    const to = { provider: provider.id };
    yield* audit(tx, { ...ctx, actor: session.member }, auditId, "session.confirm", `member ${holder.id}`, { to });
    return true;
  });
  if (!done) throw new ProviderFailed("other_account", "somebody else is signed in at the provider");
  return { to: "confirmed" };
}
