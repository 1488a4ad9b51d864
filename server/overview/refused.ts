import type { Counts } from "./counts.ts";

export interface Refused {
  api: "ingest" | "tickets";
  code: string;
  count: number;
  /** Before a credential and its project are known, a refusal counts for the installation. */
  scope: "project" | "installation";
}

/** Refusals by API and code, the most frequent first. */
export function refusedIn(project: Counts, installation: Counts): Refused[] {
  const scopes = [
    ["project", project],
    ["installation", installation],
  ] as const;
  return scopes
    .flatMap(([scope, counts]) =>
      [...counts.totals("refused")].map(([label, count]): Refused => {
        const [api = "", code = ""] = label.split(" ");
        return { api: api === "ingest" ? api : "tickets", code, count, scope };
      }),
    )
    .sort((a, b) => b.count - a.count);
}
