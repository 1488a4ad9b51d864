import { createPrivateKey, type KeyObject } from "node:crypto";
import { ProviderFailed } from "./provider-failed.ts";

/** A private key with which Intake signs to a provider (`private_key_jwt`). */
interface PrivateKey {
  /** The signature that it makes. */
  algorithm: string;
  /** PKCS #8, whatever the key was given as. */
  pem: string;
  kid: string | undefined;
}

const curves: Record<string, string> = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" };
/** Those of keys that can sign in more than one way. */
const rsaAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];

/** Reads a private key: PEM (PKCS #8, PKCS #1 or SEC 1) or a JSON Web Key. Throws {@link ProviderFailed}. */
export function privateKeyOf(text: string): PrivateKey {
  const jwk = text.startsWith("{") ? parsed(text) : undefined;
  const key = read(jwk ? { key: jwk as never, format: "jwk" } : text);
  const kid = jwk?.["kid"];
  return {
    algorithm: algorithmOf(key, jwk?.["alg"]),
    pem: String(key.export({ type: "pkcs8", format: "pem" })),
    kid: typeof kid === "string" ? kid : undefined,
  };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable("its private key is no JSON");
  }
}

function read(given: Parameters<typeof createPrivateKey>[0]): KeyObject {
  try {
    return createPrivateKey(given);
  } catch {
    // What OpenSSL says of a text that is no key helps nobody, and may repeat some of it.
    throw unusable("its secret is no private key that can be read (PEM without a password, or JWK)");
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails: details }: KeyObject, wanted: unknown) {
  const type = String(asymmetricKeyType);
  const usual: Record<string, string | undefined> = {
    rsa: "RS256",
    "rsa-pss": "PS256",
    ed25519: "Ed25519",
    ec: curves[details?.namedCurve ?? ""],
  };
  const algorithm = usual[type];
  if (algorithm === undefined) throw unusable(`a private key of the kind ${type} cannot be used`);
  return type === "rsa" && rsaAlgorithms.includes(String(wanted)) ? String(wanted) : algorithm;
}

function unusable(message: string): ProviderFailed {
  return new ProviderFailed("misconfigured", message);
}
