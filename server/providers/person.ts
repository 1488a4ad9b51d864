import { isPlain, longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import type { Provider } from "./provider-row.ts";

/** What a provider says about the person who signs in. */
export interface Person {
  /** As it was given for the provider: tokens were compared with it. */
  issuer: string;
  subject: string;
  /** The session at the provider. */
  sid: string | null;
  /** In lower case, and only when the provider has verified it. */
  email: string | null;
  name: string;
  groups: string[];
  /** When the person last gave a password, or the like, there: epoch milliseconds. */
  confirmedAt: number | undefined;
}

type Claims = Readonly<Record<string, unknown>>;
type Mapping = Pick<Provider, "groupsClaim" | "adminGroups" | "memberGroups" | "domains">;

const groupsRead = 2_000;

export function personOf(claims: Claims, provider: Mapping & Pick<Provider, "issuer">): Person {
  const subject = textOf(claims["sub"]) ?? "";
  const email = lowerCase(textOf(claims["email"])?.trim());
  const verified = claims["email_verified"] === true && email !== undefined;
  const usable = verified && email.length <= limits.emailMax && /^[^\s@]+@[^\s@]+$/.test(email);
  const time = claims["auth_time"];
  return {
    issuer: provider.issuer,
    subject,
    sid: textOf(claims["sid"]) ?? null,
    email: usable ? email : null,
    name: nameOf(claims),
    groups: groupsOf(claims, provider.groupsClaim ?? "groups"),
    confirmedAt: typeof time === "number" && Number.isFinite(time) ? Math.trunc(time * 1_000) : undefined,
  };
}

/**
 * In lower case as far as ASCII goes: some other letters have a small form in ASCII, such as the Kelvin sign, and an
 * address with one would become somebody else's.
 */
function lowerCase(text: string | undefined): string | undefined {
  return text?.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether a claim that matters for this provider is missing, which its userinfo may have. */
export function lacksClaims(claims: Claims, { groupsClaim, adminGroups, memberGroups }: Mapping): boolean {
  const mapped = adminGroups.length + memberGroups.length > 0;
  return claims["email"] === undefined || (mapped && claimAt(claims, groupsClaim ?? "groups") === undefined);
}

/**
 * The role that a person's groups give: null when they have none of the groups that may sign in, and undefined when
 * the provider decides about no roles.
 */
export function roleOf({ groups }: Pick<Person, "groups">, { adminGroups, memberGroups }: Mapping) {
  if (adminGroups.length + memberGroups.length === 0) return undefined;
  const has = (wanted: readonly string[]) => wanted.some((group) => groups.includes(group));
  if (has(adminGroups)) return "admin" as const;
  if (memberGroups.length > 0) return has(memberGroups) ? ("member" as const) : null;
  return "member" as const;
}

/** Whether an e-mail address belongs to a domain that the admin has allowed for the provider. */
export function isOfDomain(email: string, { domains }: Pick<Mapping, "domains">): boolean {
  return domains.includes(email.slice(email.lastIndexOf("@") + 1));
}

function nameOf(claims: Claims): string {
  const given = [claims["given_name"], claims["family_name"]].map(textOf).filter((part) => part !== undefined);
  const candidates = [claims["name"], given.join(" "), claims["preferred_username"], claims["email"], "New member"];
  const name = candidates.map(textOf).find((text) => text !== undefined && text.trim() !== "") ?? "";
  return [...name.trim()].slice(0, limits.nameMax).join("");
}

function groupsOf(claims: Claims, path: string): string[] {
  const value = claimAt(claims, path);
  const list = Array.isArray(value) ? value : [value];
  return list.slice(0, groupsRead).filter((group): group is string => typeof group === "string");
}

/** A claim by its name, or by a path with dots into claims that are objects. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && isPlain(value) && !longerThan(value, limits.clientIdMax)
    ? value
    : undefined;
}
