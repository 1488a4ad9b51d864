import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { Writer } from "../../server/store/writer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let writer: Writer;

beforeEach(() => {
  folder = temporaryFolder();
  migrate(folder, migrations);
  writer = new Writer(databasePath(folder), { busyMs: 0, autocheckpoint: 0 });
});
afterEach(() => {
  writer.close();
  rmSync(folder, { recursive: true, force: true });
});

const synchronous = () => writer.db.query("pragma synchronous").all();
const full = [{ synchronous: 2 }];

test("only what is said to be unsynced commits without a sync", () => {
  expect(synchronous()).toEqual(full);
  const within = writer.unsynced(() => {
    const level = synchronous();
    writer.begin();
    writer.commit();
    return level;
  });
  expect(within).toEqual([{ synchronous: 1 }]);
  expect(synchronous()).toEqual(full);
});

test("an error in an unsynced transaction ends it, and later ones are synced", () => {
  const failing = () =>
    writer.unsynced(() => {
      writer.begin();
      writer.run((tx) => tx.run("insert into setting (name, value) values ('a', 'v')"));
      writer.run((tx) => tx.run("select from nothing"));
    });
  expect(failing).toThrow("syntax error");
  expect(writer.db.inTransaction).toBe(false);
  expect(synchronous()).toEqual(full);
  expect(writer.db.query("select name from setting where name = 'a'").all()).toEqual([]);
});
