import { limits } from "../../openapi/schema/limits.ts";
import { hashOf } from "../core/credential.ts";
import type { Step, Tx } from "../core/store.ts";

/** Letters and digits that are not taken for one another; there are 32 of them. */
const alphabet = "abcdefghjkmnpqrstuvwxyz123456789";
const letters = 16;

/** New recovery codes, of 80 random bits each, so that a hash without salt is enough: `abcd-efgh-jkmn-pqrs`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: limits.recoveryCodes }, () => {
    const text = Array.from(crypto.getRandomValues(new Uint8Array(letters)), (byte) => alphabet[byte & 31]).join("");
    return text.match(/.{4}/g)?.join("-") ?? "";
  });
}

/** Stores new codes of a member. Those from before count no more. */
export function* storeRecoveryCodesStep(tx: Tx, memberId: string, codes: readonly string[]): Step<void> {
  yield* tx.run("delete from recovery_code where member_id = $1", [memberId]);
  for (const code of codes) {
    yield* tx.run("insert into recovery_code (hash, member_id) values ($1, $2)", [
      recoveryHash(memberId, code),
      memberId,
    ]);
  }
}

/** Uses a code up; false when it is none of the member's, or was used before. */
export function* useRecoveryCodeStep(tx: Tx, memberId: string, code: string): Step<boolean> {
  const hash = recoveryHash(memberId, code);
  const used = yield* tx.one("delete from recovery_code where hash = $1 and member_id = $2 returning hash", [
    hash,
    memberId,
  ]);
  return used !== undefined;
}

function recoveryHash(memberId: string, code: string): string {
  return hashOf(`recovery code of ${memberId}: ${code.toLowerCase().replaceAll(/[\s-]/g, "")}`);
}
