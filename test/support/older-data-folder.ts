import type { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { hashOf, newCredential, prefixes } from "../../server/core/credential.ts";
import { attachmentPath } from "../../server/store/local-files.ts";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { openDatabase } from "../../server/store/open-database.ts";
import { bindingOf } from "../../server/tickets/replay.ts";
import { survivor } from "./tickets.ts";

/** Makes a data directory with an older schema and one empty column, and opens its database. */
export function olderDataFolder(data: string, schema: number): Database {
  mkdirSync(data, { mode: 0o700 });
  migrate(
    data,
    migrations.filter(({ number }) => number <= schema),
  );
  const db = openDatabase(databasePath(data));
  db.run("insert into organisation (id, name, created_at) values ('o', 'Example', 0)");
  db.run("insert into project (id, name, position, created_at) values ('p', 'P', 1, 0)");
  db.run("insert into board (id, project_id, name, position, created_at) values ('b', 'p', 'B', 1, 0)");
  db.run("insert into board_column (id, board_id, name, position, created_at) values ('c', 'b', 'C', 1, 0)");
  return db;
}

/** Stored in an older data directory: what was answered to each key, and the bytes of each attachment. */
export interface OlderContents {
  token: string;
  answers: Map<string, string>;
  attachments: Map<string, string>;
}

/** Adds an API token, tickets with their keys and answers, and reports with an attachment where the schema has them. */
export function fillOlder(db: Database, data: string, schema: number, count = 20): OlderContents {
  const token = newCredential(prefixes.token);
  db.run(
    `insert into api_token (id, name, hash, scopes, reaches_all, requests_per_window, created_at)
     values ('t', 'CI', ?, 'tickets:write', 1, 1000000, 0)`,
    [hashOf(token)],
  );
  if (schema >= 2) {
    db.run("insert into project_usage (project_id, events, bytes, day, day_bytes) values ('p', ?, ?, '', 0)", [
      count,
      count,
    ]);
  }
  const contents: OlderContents = { token, answers: new Map(), attachments: new Map() };
  for (let i = 0; i < count; i++) {
    addTicket(db, schema, contents, i);
    if (schema >= 2) addReport(db, data, contents, i);
  }
  return contents;
}

function addTicket(db: Database, schema: number, { answers }: OlderContents, i: number) {
  const [id, key] = [Bun.randomUUIDv7(), crypto.randomUUID()];
  db.run(
    `insert into ticket (id, column_id, position, title, priority, token_id, author_name, created_at)
     values (?, 'c', ?, ?, 'none', 't', 'CI', 0)`,
    [id, i, `Ticket ${i}`],
  );
  // With members that no version writes: an answer is replayed as it was stored.
  const answer = JSON.stringify({
    id,
    projectId: "p",
    url: `https://intake.example.org/t/${id}`,
    was: `schema ${schema}`,
  });
  answers.set(key, answer);
  const values = [bindingOf("t", key), "t", key, id, Bun.SHA256.hash(survivor, "hex"), answer];
  const columns = "binding, token_id, key, ticket_id, body_digest, answer";
  if (schema < 16) db.run(`insert into idempotency (${columns}) values (?, ?, ?, ?, ?, ?)`, values);
  else db.run(`insert into idempotency_key (${columns}, fields) values (?, ?, ?, ?, ?, ?, '')`, values);
}

function addReport(db: Database, data: string, { attachments }: OlderContents, i: number) {
  const [event, id, bytes] = [Bun.randomUUIDv7(), Bun.randomUUIDv7(), `attachment ${i}`];
  db.run(
    `insert into event (id, project_id, key_id, digest, level, title, received_at, envelope_bytes, stored_bytes,
       delivery_count, repeat_count) values (?, 'p', 'k', '', 'error', ?, ?, 2, 2, 0, 0)`,
    [event, `Report ${i}`, Date.now()],
  );
  db.run("insert into envelope (event_id, encoding, bytes) values (?, 'identity', ?)", [event, Buffer.from("{}")]);
  db.run(
    `insert into attachment (event_id, number, id, part, size, sha256, kind, state)
     values (?, 0, ?, 'attachment_0', ?, ?, 'other', 'stored')`,
    [event, id, bytes.length, Bun.SHA256.hash(bytes, "hex")],
  );
  mkdirSync(dirname(attachmentPath(data, id)), { recursive: true, mode: 0o700 });
  writeFileSync(attachmentPath(data, id), bytes, { mode: 0o600 });
  attachments.set(id, bytes);
}
