import { type Person, roleOf } from "./person.ts";
import type { Provider } from "./provider-row.ts";

/** What a try showed. It travels in a cookie, so it is bounded. */
export interface Tried {
  provider: string;
  /** Each claim with its value as JSON, cut. */
  claims: { name: string; value: string }[];
  email: string | null;
  subject: string;
  groups: number;
  /** `none`: the person would not be let in; `unchanged`: the provider decides about no roles. */
  role: "admin" | "member" | "none" | "unchanged";
}

const claimsMax = 30;
const valueMax = 120;
/** Bytes of all of them as JSON. A cookie has 4,096 at most, a third more than it contains. */
const allMax = 2_000;

export function triedOf(provider: Provider, person: Person, claims: Readonly<Record<string, unknown>>): Tried {
  const role = roleOf(person, provider);
  const shown: Tried["claims"] = [];
  let length = 0;
  for (const [name, value] of Object.entries(claims).slice(0, claimsMax)) {
    const text = JSON.stringify(shallow(value)) ?? "";
    const claim = { name: cut(name, 60), value: cut(text, valueMax) };
    length += Buffer.byteLength(JSON.stringify(claim));
    if (length > allMax) break;
    shown.push(claim);
  }
  return {
    provider: provider.id,
    claims: shown,
    email: person.email,
    subject: cut(person.subject, valueMax),
    groups: person.groups.length,
    role: role === undefined ? "unchanged" : (role ?? "none"),
  };
}

function cut(text: string, max: number): string {
  return text.length > max ? `${[...text.slice(0, max)].join("")}…` : text;
}

/** A value without what is nested deeply or has many parts: it is cut anyhow, and its JSON could take seconds. */
function shallow(value: unknown, levels = 4): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.slice(0, valueMax).map((part) => shallow(part, levels - 1));
  const parts = Object.entries(value).slice(0, valueMax);
  return Object.fromEntries(parts.map(([name, part]) => [name, shallow(part, levels - 1)]));
}
