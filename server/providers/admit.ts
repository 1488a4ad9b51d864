import { type NewSession, startSessionStep, type Visit } from "../accounts/session.ts";
import { audit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { shownFields } from "../core/fields.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { canSignIn } from "../factors/own-factors.ts";
import { isOfDomain, type Person, roleOf } from "./person.ts";
import type { Failure } from "./provider-failed.ts";
import { providerFields } from "./provider-fields.ts";
import { type Provider, type ProviderRow, selectProviders } from "./provider-row.ts";

interface MemberRow extends Row {
  id: string;
  name: string;
  role: "admin" | "member";
  removed_at: number | null;
}

/** How a sign-in ends that the provider vouches for. */
type Admitted = { memberId: string } | { failure: Failure; memberId?: string };

interface Admission {
  provider: Provider;
  person: Person;
  session: NewSession;
  visit: Visit;
  /** The secrets of sessions that the browser had before: they end. */
  former: readonly string[];
  idToken: Uint8Array | null;
  /** Ids for a member who may be new, and for the entries of the audit log. */
  ids: readonly string[];
  now: number;
}

/**
 * Lets a person in whom a provider vouches for: by the identity that is linked, else by an e-mail address that counts,
 * else as a new member, each only where the provider is set so. Roles follow the groups. Nothing is thrown, because
 * what a refusal changes is kept too.
 */
export function* admitStep(tx: Tx, ctx: Omit<Context, "actor">, admission: Admission): Step<Admitted> {
  const { provider, person, session, now } = admission;
  const [newId = "", auditId = "", roleAuditId = "", sessionAuditId = ""] = admission.ids;
  const actor = { kind: "system", name: `provider ${provider.id}` } as const;
  const refuse = function* (failure: Failure, memberId?: string): Step<Admitted> {
    const object = memberId === undefined ? `provider ${provider.id}` : `member ${memberId}`;
    yield* audit(tx, { ...ctx, actor }, sessionAuditId, "session.refuse", object, { to: { reason: failure } });
    return { failure, ...(memberId === undefined ? {} : { memberId }) };
  };

  // Of two first sign-ins of one person at the same time, the second finds what the first has made.
  yield* tx.lock("identity", person.issuer, person.subject);
  const role = roleOf(person, provider);
  const linked = yield* memberOfStep(tx, person);
  if (role === null) {
    if (linked) yield* endSessionsStep(tx, provider.id, linked.id);
    return yield* refuse("no_group", linked?.id);
  }
  let member = linked;
  if (!member) {
    const found = yield* findOrMakeStep(tx, admission, role ?? "member", newId);
    if ("failure" in found) return yield* refuse(found.failure, found.memberId);
    member = found.member;
    const to = {
      issuer: person.issuer,
      subject: person.subject,
      ...(found.made ? { name: member.name, role: member.role } : {}),
    };
    yield* audit(tx, { ...ctx, actor }, auditId, found.made ? "member.add" : "member.link", `member ${member.id}`, {
      to,
    });
  }
  if (member.removed_at !== null) return yield* refuse("removed", member.id);

  let roleNow = member.role;
  if (role !== undefined && role !== member.role && (role === "admin" || (yield* hasAnotherAdminStep(tx, member.id)))) {
    yield* tx.run("update member set role = $2 where id = $1", [member.id, role]);
    yield* tx.run("delete from session where member_id = $1", [member.id]);
    const change = { from: { role: member.role }, to: { role } };
    yield* audit(tx, { ...ctx, actor }, roleAuditId, "member.role", `member ${member.id}`, change);
    roleNow = role;
  }
  for (const secret of admission.former) yield* tx.run("delete from session where hash = $1", [hashOf(secret)]);
  yield* startSessionStep(tx, session, {
    ...{ memberId: member.id, visit: admission.visit, now, cutoff: ctx.cutoff },
    ...{ days: provider.sessionDays, method: "provider", confirmedAt: Math.min(now, person.confirmedAt ?? 0) },
  });
  yield* tx.run(
    "insert into provider_session (session_id, provider_id, subject, sid, id_token) values ($1, $2, $3, $4, $5)",
    [session.id, provider.id, person.subject, person.sid, admission.idToken],
  );
  const who = { kind: "member", id: member.id, name: member.name, role: roleNow } as const;
  const to = { provider: provider.id };
  yield* audit(tx, { ...ctx, actor: who }, sessionAuditId, "session.create", `member ${member.id}`, { to });
  return { memberId: member.id };
}

/** The member to whom a person at a provider is linked. */
export function* memberOfStep(tx: Tx, { issuer, subject }: Pick<Person, "issuer" | "subject">) {
  return yield* tx.one<MemberRow>(
    `select m.id, m.name, m.role, m.removed_at from identity i join member m on m.id = i.member_id
     where i.issuer = $1 and i.subject = $2`,
    [issuer, subject],
  );
}

/** Links a person at a provider to a member; false when the person is linked already. */
export function* linkStep(
  tx: Tx,
  { issuer, subject }: Pick<Person, "issuer" | "subject">,
  { memberId, now }: { memberId: string; now: number },
): Step<boolean> {
  const made = yield* tx.one(
    `insert into identity (issuer, subject, member_id, created_at) values ($1, $2, $3, $4)
     on conflict (issuer, subject) do nothing returning member_id`,
    [issuer, subject, memberId, now],
  );
  return made !== undefined;
}

/** Whether an admin is left who can sign in when this one is none any more. */
function* hasAnotherAdminStep(tx: Tx, memberId: string): Step<boolean> {
  const other = yield* tx.one(
    `select id from member m where role = 'admin' and removed_at is null and id <> $1 and ${canSignIn} limit 1`,
    [memberId],
  );
  return other !== undefined;
}

type Found = { member: MemberRow; made: boolean } | { failure: Failure; memberId?: string };

function* findOrMakeStep(
  tx: Tx,
  { provider, person, now }: Admission,
  role: "admin" | "member",
  newId: string,
): Step<Found> {
  const { email } = person;
  const counts = email !== null && isOfDomain(email, provider);
  const holder =
    email === null
      ? undefined
      : yield* tx.one<MemberRow>("select id, name, role, removed_at from member where email = $1", [email]);
  if (holder && (!counts || holder.removed_at !== null)) {
    return { failure: holder.removed_at === null ? "no_account" : "removed", memberId: holder.id };
  }
  if (holder) {
    const other = yield* tx.one("select subject from identity where member_id = $1 and issuer = $2 limit 1", [
      holder.id,
      person.issuer,
    ]);
    if (other) return { failure: "other_person", memberId: holder.id };
    if (!(yield* isVouchedForStep(tx, holder.id, email ?? ""))) {
      return { failure: "other_provider", memberId: holder.id };
    }
    if (holder.role === "admin") return { failure: "password", memberId: holder.id };
    yield* linkStep(tx, person, { memberId: holder.id, now });
    yield* tx.run("update member set joined_at = coalesce(joined_at, $2) where id = $1", [holder.id, now]);
    return { member: holder, made: false };
  }
  if (provider.newMembers !== "yes" || (provider.domains.length > 0 && !counts)) return { failure: "no_account" };
  const made = yield* tx.one(
    `insert into member (id, email, name, role, created_at, joined_at) values ($1, $2, $3, $4, $5, $5)
     on conflict (email) do nothing returning id`,
    [newId, email, person.name, role, now],
  );
  if (!made) return { failure: "no_account" };
  yield* linkStep(tx, person, { memberId: newId, now });
  return { member: { id: newId, name: person.name, role, removed_at: null }, made: true };
}

/**
 * Whether it is certain that an e-mail address is a member's own. Where the member is linked to another issuer, a provider
 * of it has to be allowed to vouch for the address: otherwise somebody could make an account there with the address of
 * another person, and wait for the person to be linked to it.
 */
function* isVouchedForStep(tx: Tx, memberId: string, email: string): Step<boolean> {
  const linked = yield* tx.all<{ issuer: string }>("select distinct issuer from identity where member_id = $1", [
    memberId,
  ]);
  if (linked.length === 0) return true;
  const providers = (yield* tx.all<ProviderRow>(selectProviders)).map((row) => shownFields(providerFields, row));
  return linked.every(({ issuer }) => providers.some((one) => one.issuer === issuer && isOfDomain(email, one)));
}

/** Ends the sessions of a member that began at a provider. */
function* endSessionsStep(tx: Tx, providerId: string, memberId: string): Step<void> {
  yield* tx.run(
    `delete from session where member_id = $1
       and id in (select session_id from provider_session where provider_id = $2)`,
    [memberId, providerId],
  );
}
