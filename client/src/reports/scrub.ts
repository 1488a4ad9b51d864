import { redact } from "../core/redact.ts";
import type { Report } from "../types.ts";

const removed = "[removed]";
const secret =
  /auth(orization)?$|cookie|passw|passphrase|^(pwd|pass|jwt)$|secret|credential|(api|private)[-_]?key|token$/i;

/**
 * Copies a report without authorization headers, cookies and members that look like passwords. Headers may be members of
 * an object or pairs of name and value. Inside a longer text only `Bearer …`, `Basic …` and credentials of Intake are
 * recognised.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl, key, beforeSend: scrub });
 * ```
 */
export function scrub(report: Report): Report {
  return JSON.parse(JSON.stringify(report), (name, value) => {
    const [first, second, ...others] = Array.isArray(value) ? value : [];
    if (typeof second === "string" && others.length === 0 && secret.test(String(first))) return [first, removed];
    if (secret.test(name)) return removed;
    return typeof value === "string" ? redact(value.replace(/\b(bearer|basic) +[\w.~+/=-]+/gi, removed)) : value;
  });
}
