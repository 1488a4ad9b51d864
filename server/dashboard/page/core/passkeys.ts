import type { Descriptor, RequestOptions } from "../../../factors/passkey-options.ts";
import { CallFailed } from "./api.ts";
import { boot } from "./boot.ts";

/** Whether this browser has passkeys, and this page is where those of this installation work. */
export function passkeysWork(): boolean {
  if (!("PublicKeyCredential" in window) || !isSecureContext) return false;
  const { origin } = boot.value.passkeys ?? { origin: null };
  return origin === null ? /(^|\.)localhost$/.test(location.hostname) : origin === location.origin;
}

type CreationOptions = Omit<PublicKeyCredentialCreationOptions, "challenge" | "user" | "excludeCredentials"> & {
  challenge: string;
  user: { id: string; name: string; displayName: string };
  excludeCredentials: Descriptor[];
};

/** Asks for a passkey, and for a finger or PIN. `offered`: only beside what the browser fills in by itself. */
export async function askForPasskey(
  { challenge, allowCredentials, ...options }: RequestOptions,
  { signal, offered = false }: { signal?: AbortSignal; offered?: boolean } = {},
) {
  const publicKey = { ...options, challenge: bytesOf(challenge), allowCredentials: allowCredentials.map(descriptorOf) };
  const found = await navigator.credentials
    .get({ publicKey, ...(signal ? { signal } : {}), ...(offered ? { mediation: "conditional" } : {}) })
    .catch(refuse);
  const { id, response } = found as PublicKeyCredential & { response: AuthenticatorAssertionResponse };
  return {
    id,
    clientDataJSON: textOf(response.clientDataJSON),
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
    ...(response.userHandle ? { userHandle: textOf(response.userHandle) } : {}),
  };
}

/** Makes a passkey. */
export async function makePasskey({ challenge, user, excludeCredentials, ...options }: CreationOptions) {
  const publicKey = {
    ...options,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials.map(descriptorOf),
  };
  const made = await navigator.credentials.create({ publicKey }).catch(refuse);
  const { id, response } = made as PublicKeyCredential & { response: AuthenticatorAttestationResponse };
  return {
    id,
    clientDataJSON: textOf(response.clientDataJSON),
    attestationObject: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  };
}

function refuse(error: unknown): never {
  const { name } = error as DOMException;
  if (name === "AbortError") throw new CallFailed(0, "aborted", "");
  if (name === "InvalidStateError")
    throw new CallFailed(0, "passkey_known", "This device has a passkey for your account already.");
  throw new CallFailed(0, "no_passkey", "No passkey was given. Try again.");
}

function descriptorOf({ id, type, transports }: Descriptor): PublicKeyCredentialDescriptor {
  return { id: bytesOf(id), type, transports: transports as AuthenticatorTransport[] };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

function textOf(buffer: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
