/** What the text of each kind of credential begins with. */
export const prefixes = { token: "itk_", key: "isk_" } as const;

export type CredentialKind = keyof typeof prefixes;

/** What people call each kind of credential. */
export const credentialNames = { token: "API token", key: "SDK key" } as const;

/** Credentials, and the signing secrets of subscribers, anywhere in a text. The first group is the prefix. */
const credentialText = new RegExp(`\\b(${prefixes.token}|${prefixes.key}|whsec_)[0-9A-Za-z+/=_-]+`, "g");

/** Cuts the value of every credential out of a text: its prefix stays, and `mark` replaces the rest. */
export function hideCredentials(text: string, mark: string): string {
  return text.replace(credentialText, `$1${mark}`);
}

/** Which kind of credential a text claims to be, by its prefix alone; undefined for any other text. */
export function credentialKindOf(text: string): CredentialKind | undefined {
  if (text.startsWith(prefixes.token)) return "token";
  return text.startsWith(prefixes.key) ? "key" : undefined;
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 30;
const checksumLength = 6;

/**
 * A new credential: prefix, 30 random base62 characters (178 bits), and the CRC-32 of those 30 in 6 base62 characters.
 * The checksum is for secret scanners and for clients that want to catch a typing error; the server never looks at it.
 */
export function newCredential(prefix: string): string {
  const random = randomText(randomLength);
  return `${prefix}${random}${checksum(random)}`;
}

/** Whether length and checksum fit: for telling people of a typing error, never for deciding on a request. */
export function hasCredentialForm(credential: string): boolean {
  const body = credential.slice(credential.indexOf("_") + 1);
  const random = body.slice(0, randomLength);
  return body.length === randomLength + checksumLength && body.slice(randomLength) === checksum(random);
}

/** What is stored of a credential. 178 random bits need no slow hash. */
export function hashOf(credential: string): string {
  return Bun.SHA256.hash(credential, "hex");
}

/** How people tell credentials apart in lists: the first 8 hex digits of the hash. */
export function fingerprintOf(hash: string): string {
  return hash.slice(0, 8);
}

/** A secret for a link or a session cookie. */
export function newSecret(): string {
  return randomText(43);
}

function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte: bytes above it would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

function checksum(random: string): string {
  let rest = Bun.hash.crc32(random);
  let text = "";
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
