import { redact } from "../core/redact.ts";
import type { Report } from "../types.ts";

const removed = "[removed]";
const secret =
  /auth(orization)?$|cookie|passw|passphrase|^(pwd|pass|jwt)$|secret|credential|(api|private)[-_]?key|token$/i;

/**
 * A copy without authorization headers, cookies and password-like members, whether headers are members or pairs of name
 * and value. What stands in the middle of a text is found only as `Bearer …`, `Basic …` and credentials of Intake.
 */
export function scrubbed(report: Report): Report {
  return JSON.parse(JSON.stringify(report), (name, value) => {
    const [first, second, ...others] = Array.isArray(value) ? value : [];
    if (typeof second === "string" && others.length === 0 && secret.test(String(first))) return [first, removed];
    if (secret.test(name)) return removed;
    return typeof value === "string" ? redact(value.replace(/\b(bearer|basic) +[\w.~+/=-]+/gi, removed)) : value;
  });
}
