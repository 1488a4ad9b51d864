import { limits } from "../../openapi/schema/limits.ts";
import type { Reader, Row } from "../core/store.ts";
import type { RelyingParty } from "./relying-party.ts";

/** A passkey that a browser may choose (`PublicKeyCredentialDescriptorJSON`). */
export interface Descriptor {
  id: string;
  type: "public-key";
  transports: string[];
}

const timeout = limits.passkeyMinutes * 60_000;

/** EdDSA, ECDSA with P-256, and RSA, by their numbers in COSE. */
export const algorithms = [-8, -7, -257];

/** What a browser needs to ask for a passkey (`PublicKeyCredentialRequestOptionsJSON`). */
export interface RequestOptions {
  challenge: string;
  rpId: string;
  allowCredentials: Descriptor[];
  userVerification: "required" | "preferred";
  timeout: number;
}

/** Without passkeys to choose from, any passkey that the person has for this installation. */
export function requestOptions(
  challenge: string,
  party: RelyingParty,
  allowed: Descriptor[] = [],
  userVerification: RequestOptions["userVerification"] = "required",
): RequestOptions {
  return { challenge, rpId: party.id, allowCredentials: allowed, userVerification, timeout };
}

/** What a browser needs to make a passkey (`PublicKeyCredentialCreationOptionsJSON`). */
export function creationOptions(
  challenge: string,
  party: RelyingParty,
  { member, excluded }: { member: { id: string; email: string; name: string }; excluded: Descriptor[] },
) {
  return {
    challenge,
    rp: { id: party.id, name: "Intake" },
    user: { id: userHandle(member.id), name: member.email, displayName: member.name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key" as const, alg })),
    excludeCredentials: excluded,
    // So that each passkey can sign in alone: it is found without a name, and asks for a finger or a PIN.
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    } as const,
    attestation: "none" as const,
    timeout,
  };
}

/** What a passkey knows of the member: the id, in base64url. */
export function userHandle(memberId: string): string {
  return Buffer.from(memberId).toString("base64url");
}

export async function descriptorsOf(store: Reader, memberId: string): Promise<Descriptor[]> {
  const rows = await store.all<{ credential_id: string; transports: string } & Row>(
    "select credential_id, transports from passkey where member_id = $1 order by id",
    [memberId],
  );
  return rows.map(({ credential_id: id, transports }) => ({
    id,
    type: "public-key",
    transports: JSON.parse(transports) as string[],
  }));
}
