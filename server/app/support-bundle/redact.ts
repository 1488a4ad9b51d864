import { hideCredentials } from "../../core/credential.ts";

const hidden = "[hidden]";
/** Shorter values would be found in ordinary words. */
const knownMin = 6;

const privateKey = /-----BEGIN [^-]{1,40}-----[\s\S]*?(?:-----END [^-]{1,40}-----|$)/g;
/** A longer line is left out: searching it for every form would take seconds. */
const lineMax = 2_000;

/** What is secret by its form, wherever it stands. What comes first may contain what comes later. */
const forms: readonly [RegExp, string][] = [
  // User and password of an address, its query and its fragment: links that sign in or are signed have their secret there.
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/"'<>@]*@/gi, `$1${hidden}@`],
  [/([a-z][a-z0-9+.-]*:\/\/[^\s"'<>?#]*)[?#][^\s"'<>]*/gi, `$1?${hidden}`],
  [/\/(files|invite|reset|setup|join)\/[^\s"'<>]+/gi, `/$1/${hidden}`],
  [/\b(Bearer|Basic|Digest|AWS4-HMAC-SHA256)\s+[^\s"']+/gi, `$1 ${hidden}`],
  [
    /\b((?:[a-z0-9]+[_-]?)?(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|cookie)(?!"\s*:\s*(?:\d+|null|true|false)\s*(?:[,}]|$))["']?\s*[=:]\s*["']?)(?!\[hidden\])[^\s"',;}]+/gi,
    `$1${hidden}`,
  ],
  [/[\p{L}\p{N}._%+'-]+@(?:[\p{L}\p{N}-]+\.)*[\p{L}\p{N}-]+/gu, "[e-mail]"],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, hidden],
  // Digests and keys; ids of traces have 32 digits, and stay.
  [/\b[0-9a-f]{33,}\b/gi, hidden],
  [/(?<![\w+/=-])(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])(?=[\w+/=-]*\d)[\w+/=-]{20,}(?![\w+/=-])/g, hidden],
];

/**
 * Takes out of a text what nobody else should read: what looks like a credential, an e-mail address or the secret part of
 * an address, and every `known` secret of this installation, whatever it looks like.
 */
export class Redaction {
  readonly #known: readonly string[];

  constructor(known: readonly string[]) {
    const forms = known.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
    // The longest first: one may be a part of another.
    this.#known = [...new Set(forms)].filter(({ length }) => length >= knownMin).sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    let redacted = text;
    for (const secret of this.#known) redacted = redacted.replaceAll(secret, hidden);
    return redacted.replace(privateKey, hidden).split("\n").map(lineOf).join("\n");
  }
}

function lineOf(line: string): string {
  if (line.length > lineMax) return `[a line of ${line.length} characters]`;
  let redacted = hideCredentials(line, hidden);
  for (const [form, instead] of forms) redacted = redacted.replace(form, instead);
  return redacted;
}
