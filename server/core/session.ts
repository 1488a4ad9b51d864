import { limits } from "../../openapi/schema/limits.ts";
import { type Actor, Refusal } from "./context.ts";

/** Of a person who is signed in. */
export interface Session {
  id: string;
  /** SHA-256 of the cookie's value. */
  hash: string;
  member: Extract<Actor, { kind: "member" }>;
  /** When the password was last given. */
  passwordAt: number;
}

/** Before what could do harm: whoever finds an open page must not be able to. */
export function requireRecentPassword({ passwordAt }: Session, now: number) {
  if (now - passwordAt > limits.passwordMinutes * 60_000) throw new Refusal("password_required");
}
