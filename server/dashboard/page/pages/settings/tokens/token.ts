import { api, done } from "../../../core/api.ts";
import { plural } from "../../../core/format.ts";

export type Token = Awaited<ReturnType<typeof listTokens>>["items"][number];

export function listTokens(query: {
  cursor?: string | undefined;
  state?: string | undefined;
  text?: string | undefined;
}) {
  return done(api.tokens.get({ query }));
}

/** Whether the token is in use: then revoking it breaks something, and its name has to be typed first. */
const usedMilliseconds = 7 * 86_400_000;

export function wasUsedLately({ lastUsedAt }: Token): boolean {
  return lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < usedMilliseconds;
}

/** "All projects", "2 projects"; the tooltip has their names. */
export function reachWords({ reach, projects }: Pick<Token, "reach" | "projects">): { short: string; names: string } {
  if (reach === "all") return { short: "All projects", names: "All projects, also ones made later" };
  if (reach.length === 0) return { short: "Nothing", names: "This token reaches no project" };
  return { short: plural(reach.length, "project"), names: projects.map(({ name }) => name).join(", ") };
}
