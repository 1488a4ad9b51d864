import type { Report } from "../types.ts";

const removed = "[removed]";

/** A copy without authorization headers, cookies and password-like members. */
export function scrubbed(report: Report): Report {
  return JSON.parse(JSON.stringify(report), (name, value) =>
    /auth(orization)?$|cookie|passw|passphrase|secret|credential|api[-_]?key|token$/i.test(name)
      ? removed
      : typeof value === "string"
        ? value.replace(/\b(bearer|basic) +[\w.~+/=-]+/gi, removed)
        : value,
  );
}
