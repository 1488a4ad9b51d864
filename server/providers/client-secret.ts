import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { requirePlain } from "../core/names.ts";
import { readRegularFile } from "../core/read-regular-file.ts";
import type { Sealing } from "../core/sealing.ts";
import { privateKeyOf } from "./private-key.ts";
import { ProviderFailed } from "./provider-failed.ts";
import { type Provider, secretAbout } from "./provider-row.ts";

/** A secret or private key as it is stored. */
export function sealSecret(sealing: Sealing, providerId: string, given: string): Uint8Array {
  const secret = requirePlain(given.trim());
  if (secret === "" || secret.length > limits.clientSecretMax) {
    throw new Refusal("invalid_input", `a secret must have 1 to ${limits.clientSecretMax} characters`);
  }
  return sealing.seal(secret, secretAbout(providerId));
}

/** The secret or private key of a provider in the clear. Throws {@link ProviderFailed} when there is none to be read. */
export function openSecret(sealing: Sealing, { id, secret, secretFile }: Provider): string {
  if (secretFile !== null) return readSecretFile(secretFile);
  if (secret === null) throw unusable("it has no secret; give it one");
  if (secret.length === 0) throw unusable("its secret is lost with the former secret.key; give it again");
  try {
    return sealing.open(secret, secretAbout(id));
  } catch {
    throw unusable("its secret was sealed with another secret.key; give it again");
  }
}

/** Throws {@link ProviderFailed} when a sign-in could not be finished for want of a secret or private key. */
export function requireSecret(sealing: Sealing, provider: Provider): void {
  if (provider.clientAuth === "none") return;
  const secret = openSecret(sealing, provider);
  if (provider.clientAuth === "private-key") privateKeyOf(secret);
}

/** Reads the secret anew each time, so that a file that is replaced counts from the next sign-in on. */
export function readSecretFile(path: string): string {
  const secret = readText(path).trim();
  if (secret === "") throw unusable("the file of its secret is empty");
  return secret;
}

function readText(path: string): string {
  try {
    return readRegularFile(path, limits.clientSecretMax);
  } catch (error) {
    throw unusable(`the file of its secret cannot be read (${(error as { code?: string }).code})`);
  }
}

function unusable(message: string): ProviderFailed {
  return new ProviderFailed("misconfigured", message);
}
