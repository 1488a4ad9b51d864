import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { openDatabase } from "../../server/store/open-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("titles of fatal reports from before an upgrade are known, so they raise nothing", () => {
  const folder = temporaryFolder();
  const own = migrations.findIndex(({ name }) => name === "notices");
  migrate(folder, migrations.slice(0, own));
  const db = openDatabase(databasePath(folder));
  db.run("insert into project (id, name, position, created_at) values ('p', 'Shop', 1, 0)");
  for (const [id, level, title] of [
    ["1", "fatal", "It fell"],
    ["2", "fatal", "It fell"],
    ["3", "error", "It was slow"],
    ["4", "fatal", null],
  ] as const) {
    db.run(
      `insert into event (id, project_id, key_id, digest, title, level, received_at, envelope_bytes, stored_bytes,
         delivery_count, repeat_count) values (?, 'p', 'key', 'digest', ?, ?, ?, 0, 0, 0, 0)`,
      [id, title, level, Number(id)],
    );
  }
  migrate(folder, migrations);
  expect(db.query("select title, event_id, noticed from fatal_title").all()).toEqual([
    { title: "It fell", event_id: "1", noticed: 1 },
  ]);
  db.close();
  rmSync(folder, { recursive: true });
});
