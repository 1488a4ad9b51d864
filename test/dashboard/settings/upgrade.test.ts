import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { databasePath, migrate } from "../../../server/store/migrate.ts";
import { migrations } from "../../../server/store/migrations/index.ts";
import { openDatabase } from "../../../server/store/open-database.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("attempts from before an upgrade are counted by the hour, and the last one is known", () => {
  const folder = temporaryFolder();
  const own = migrations.findIndex(({ name }) => name === "last-attempts");
  migrate(folder, migrations.slice(0, own));
  const db = openDatabase(databasePath(folder));
  for (const id of ["s", "silent"]) {
    db.run(
      `insert into subscriber (id, url, event_types, secret, state, created_at, failures, openings)
       values (?, 'https://example.org', '[]', x'00', 'active', 0, 0, 0)`,
      [id],
    );
  }
  db.run("insert into message (id, type, head) values ('m', 'agent_run.updated', '{}')");
  const hour = 3_600_000;
  for (const [id, created, attempts] of [
    [
      "old",
      900,
      [
        [900, null],
        [901, "status"],
      ],
    ],
    [
      "failing",
      960,
      [
        [960, "status"],
        [960.2, "timeout"],
        [999.5, "status"],
      ],
    ],
    ["newest", 999, [[999.1, null]]],
  ] as const) {
    db.run(
      `insert into delivery (id, message_id, subscriber_id, state, tries, attempts, next_at, created_at)
       values (?, 'm', 's', 'waiting', 0, ?, 0, ?)`,
      [id, attempts.length, created * hour],
    );
    for (const [i, [at, error]] of attempts.entries()) {
      db.run("insert into attempt (delivery_id, number, at, error, answer) values (?, ?, ?, ?, ?)", [
        id,
        i + 1,
        at * hour,
        error,
        `answer of ${at}`,
      ]);
    }
  }
  migrate(folder, migrations);
  expect(db.query("select subscriber_id, at / 3600000 as hour, accepted, failed from attempt_hour").all()).toEqual([
    { subscriber_id: "s", hour: 960, accepted: 0, failed: 2 },
    { subscriber_id: "s", hour: 999, accepted: 1, failed: 1 },
  ]);
  expect(db.query("select * from last_attempt").all()).toEqual([
    { subscriber_id: "s", delivery_id: "failing", number: 3, headers: null, answer: "answer of 999.5", answer_cut: 0 },
  ]);
  db.close();
  rmSync(folder, { recursive: true });
});
