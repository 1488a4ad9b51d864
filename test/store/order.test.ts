import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Rows that are equal in everything they are ordered by come in the order of their insertion on SQLite, and in any order
 * on PostgreSQL. So every order ends with what tells rows apart.
 */
const root = join(import.meta.dir, "../..");

/** Columns that tell apart the rows of the query that they end. */
const unique = [
  "id",
  "number",
  "rowid",
  "place",
  "binding",
  "network",
  "device",
  "session_id",
  "token_id, name",
  "event_id",
  "fingerprint",
  "process, seq",
];

/** Orders that end otherwise, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "server/agents/claim-run.ts: coalesce(u.turn, 0), (select min(r.queued_at) from agent_run r where r.project_id = p.id and r.state = 'queued'), (select r.id from agent_run r where r.project_id = p.id and r.state = 'queued' order by r.queued_at, r.id limit 1)":
    "ends with the id of a run",
  "server/agents/record-runner.ts: seen_at desc, name": "the runners of one token",
  "server/credentials/token-view.ts: project_id": "the projects of one token",
  "server/overview/show-overview.ts: r.state": "grouped by it",
  "server/overview/storage.ts: at": "this series of a project has no labels",
  "server/webhooks/deliveries/claim.ts: next_at":
    "deliveries of one moment may go in any order, and a replay gives one moment to thousands",
  "server/webhooks/deliveries/replay.ts: ended_at":
    "all of them are replayed, and thousands may have ended in one moment",
  "server/webhooks/subscribers/delete-deliveries.ts: ended_at":
    "all of them go, and thousands may have ended in one moment",
  "server/webhooks/subscribers/show-subscriber.ts: next_at": "of what is counted only the earliest times are shown",
  "server/export/project-reports.ts: ticket_id": "the cards of one report",
  "server/notices/remove-old.ts: at desc": "only the column itself is read",
  "server/notices/rules/fatal-new.ts: at, project_id, title": "a project has a title once",
  "server/ingest/retention.ts: received_at": "only the column itself is read",
  "server/app/doctor/subscribers.ts: subscriber_id": "grouped by it",
  "server/app/support-bundle/count-rows.ts: name": "the tables of one database",
  "server/app/support-bundle/count-rows.ts: tablename": "the tables of one schema",
  "server/app/support-bundle/gather.ts: name": "the settings have no other key",
  "server/boards/delete-column.ts: position desc": "only the column itself is read",
  "server/app/move/database-end.ts: random()": "any of the keys are compared",
  "server/app/move/database-end.ts: seen_at desc": "any process that lives keeps a move from beginning",
};

interface Order {
  file: string;
  order: string;
}

function orders(): Order[] {
  const files = [...new Bun.Glob("server/**/*.ts").scanSync(root)].filter(
    (file) => !/\.test\.ts$|^server\/(dashboard|docs)\//.test(file) && !sqliteOnly.test(file),
  );
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8").replaceAll(/\/\*.*?\*\//gs, "");
    const found = text.matchAll(
      /\border by\s+((?:[^()`"';]|\((?:[^()]|\([^()]*\))*\))+?)\s*(?=\b(?:limit|offset|on conflict)\b|[)`"';])/g,
    );
    return [...found].map(([, order = ""]) => ({ file, order: order.replace(/\s+/g, " ").trim() }));
  });
}
/** What reads SQLite's own tables. */
const sqliteOnly = /^server\/(store|app\/move\/(moved-tables|sqlite-rows|folder-end))\b/;

function tellsApart(order: string): boolean {
  const columns = order.replaceAll(/\b\w+\.| (asc|desc)\b| \$\{\w+\}/g, "");
  return unique.some((ending) => columns === ending || columns.endsWith(`, ${ending}`));
}

test("every order ends with what tells rows apart, but for those that are named", () => {
  const ties = orders().filter(({ order }) => !tellsApart(order));
  expect(ties.map(({ file, order }) => `${file}: ${order}`).sort()).toEqual(Object.keys(exceptions).sort());
});
