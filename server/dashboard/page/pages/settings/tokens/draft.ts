import type { Token } from "./token.ts";

export type Scope = "tickets:write" | "runs:execute";

/** What a form of a token holds. */
export interface Draft {
  name: string;
  all: boolean;
  projects: readonly string[];
  scopes: readonly Scope[];
  limit: string;
}

export const nameMax = 80;
const limitMax = 1_000_000;

export function newDraft(projects: readonly string[]): Draft {
  return { name: "", all: false, projects, scopes: ["tickets:write"], limit: "60" };
}

export function draftOf({ name, reach, scopes, limit }: Token): Draft {
  return {
    name,
    all: reach === "all",
    projects: reach === "all" ? [] : reach,
    scopes: scopes as Scope[],
    limit: String(limit),
  };
}

export function reachOf({ all, projects }: Draft): "all" | string[] {
  return all ? "all" : [...projects];
}

/** Code points, as the server counts. */
export function lengthOf(name: string): number {
  return [...name].length;
}

export function isReady({ name, limit }: Draft): boolean {
  const perMinute = Number(limit);
  const fits = Number.isInteger(perMinute) && perMinute >= 1 && perMinute <= limitMax;
  return name.trim() !== "" && lengthOf(name) <= nameMax && fits;
}

/** What is another than before; each with both. */
export function changes(before: Draft, after: Draft): { what: string; from: string; to: string }[] {
  const words = (draft: Draft) => ({
    Name: draft.name,
    Reach: draft.all ? "all projects" : draft.projects.toSorted().join(", "),
    Scopes: draft.scopes.toSorted().join(", ") || "none",
    Limit: `${draft.limit} per minute`,
  });
  const [from, to] = [words(before), words(after)];
  return (Object.keys(from) as (keyof typeof from)[])
    .filter((what) => from[what] !== to[what])
    .map((what) => ({ what, from: from[what], to: to[what] }));
}
