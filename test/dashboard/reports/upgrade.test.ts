import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { databasePath, migrate } from "../../../server/store/migrate.ts";
import { migrations } from "../../../server/store/migrations/index.ts";
import { openDatabase } from "../../../server/store/open-database.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("what was stored before an upgrade is in its charts and sums", () => {
  const folder = temporaryFolder();
  const own = migrations.findIndex(({ name }) => name === "reports");
  migrate(folder, migrations.slice(0, own));
  const db = openDatabase(databasePath(folder));
  db.run("insert into project (id, name, position, created_at) values ('p', 'P', 1, 0)");
  db.run("insert into project_usage (project_id, events, bytes, day, day_bytes) values ('p', 3, 5000, '', 0)");
  const hour = 3_600_000;
  for (const [id, level, at] of [
    ["a", "error", 1.5],
    ["b", "error", 1.9],
    ["c", null, 2],
  ] as const) {
    db.run(
      `insert into event (id, project_id, key_id, digest, level, received_at, envelope_bytes, stored_bytes,
         delivery_count, repeat_count) values (?, 'p', 'k', '', ?, ?, 1, 1, 0, 0)`,
      [id, level, at * hour],
    );
  }
  for (const [number, size] of [
    [0, 700],
    [1, 40],
    [2, null],
  ] as const) {
    db.run(
      "insert into attachment (event_id, number, id, part, size, kind, state) values ('a', ?, ?, 'x', ?, 'log', 'stored')",
      [number, `f${number}`, size],
    );
  }
  migrate(folder, migrations);
  expect(db.query("select at / 3600000 as hour, series, label, count from tally order by 1").all()).toEqual([
    { hour: 1, series: "report", label: "error", count: 2 },
    { hour: 2, series: "report", label: "none", count: 1 },
  ]);
  expect(db.query("select file_bytes from project_usage").all()).toEqual([{ file_bytes: 740 }]);
  db.close();
  rmSync(folder, { recursive: true });
});
