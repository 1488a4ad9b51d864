import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import Database from "better-sqlite3";

/** The schema of the real thing, at the same durability, with one project, board, column and token in it. */
export function openDatabase(folder, token) {
  const db = new Database(`${folder}/fastify.db`);
  db.pragma("journal_mode = wal");
  db.pragma("synchronous = full");
  db.pragma("foreign_keys = on");
  db.exec(readFileSync(new URL("../../../server/store/migrations/0001-core.sql", import.meta.url), "utf8"));

  const place = { projectId: newId(), boardId: newId(), columnId: newId() };
  const add = (table, row) => {
    const names = Object.keys(row);
    db.prepare(`insert into ${table} (${names}) values (${names.map((name) => `@${name}`)})`).run(row);
  };
  add("project", { id: place.projectId, name: "P", position: 1, created_at: 0 });
  add("board", { id: place.boardId, project_id: place.projectId, name: "B", position: 1, created_at: 0 });
  add("board_column", { id: place.columnId, board_id: place.boardId, name: "C", position: 1, created_at: 0 });
  add("api_token", {
    id: newId(),
    name: "T",
    hash: hash(token),
    scopes: "tickets:write",
    reaches_all: 1,
    requests_per_window: 60,
    created_at: 0,
  });
  return { db, place };
}

export const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** UUIDv7: random ones would scatter over the tables and slow this rival down. */
export function newId() {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
