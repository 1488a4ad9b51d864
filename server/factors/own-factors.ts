import type { Reader, Row, Step, Tx } from "../core/store.ts";

/** The factors that a member has beside a password. */
export interface OwnFactors {
  /** `lost`: the key that sealed the secret of the app is lost, so that its codes cannot be checked. */
  app: "yes" | "lost" | "no";
  passkeys: number;
  recoveryCodes: number;
}

interface FactorsRow extends Row {
  app: number;
  passkeys: number;
  codes: number;
}

const selectFactors = `select
  coalesce((select case when length(secret) = 0 then 1 else 2 end from totp where member_id = $1), 0) as app,
  (select cast(count(*) as integer) from passkey where member_id = $1) as passkeys,
  (select cast(count(*) as integer) from recovery_code where member_id = $1) as codes`;

export async function readOwnFactors(store: Reader, memberId: string): Promise<OwnFactors> {
  return factorsOf(await store.one<FactorsRow>(selectFactors, [memberId]));
}

export function* ownFactorsStep(tx: Tx, memberId: string): Step<OwnFactors> {
  return factorsOf(yield* tx.one<FactorsRow>(selectFactors, [memberId]));
}

function factorsOf(row: FactorsRow | undefined): OwnFactors {
  const app = row?.app === 2 ? "yes" : row?.app === 1 ? "lost" : "no";
  return { app, passkeys: row?.passkeys ?? 0, recoveryCodes: row?.codes ?? 0 };
}

/** Whether a password alone signs this member in no more. */
export function hasSecondFactor({ app, passkeys }: OwnFactors): boolean {
  return app !== "no" || passkeys > 0;
}

/** Deletes all factors of a member but the password. */
export function* deleteFactorsStep(tx: Tx, memberId: string): Step<void> {
  for (const table of ["passkey", "totp", "recovery_code"]) {
    yield* tx.run(`delete from ${table} where member_id = $1`, [memberId]);
  }
}

/**
 * A condition in SQL: an admin of whom a second factor is required, and who has none that works. `m` is the table of
 * members in the query.
 */
export const lacksFactor = `(m.role = 'admin'
  and exists (select 1 from setting where name = 'admin_second_factor' and value = 'on')
  and not exists (select 1 from passkey k where k.member_id = m.id)
  and not exists (select 1 from totp t where t.member_id = m.id and length(t.secret) > 0))`;

/**
 * A condition in SQL: the member can sign in, by a password, a passkey, or with a provider. `m` is the name of the
 * table of members in the query.
 */
export const canSignIn = `(m.password_hash is not null
  or exists (select 1 from identity i where i.member_id = m.id)
  or exists (select 1 from passkey k where k.member_id = m.id))`;
