import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { listBackups } from "../../server/backup/list-backups.ts";
import type { Manifest } from "../../server/backup/manifest.ts";
import { run } from "../support/binary.ts";
import { contentsOf, create, filesIn, restore, verify } from "./backups.ts";
import {
  copyOf,
  filled,
  folder,
  forge,
  made,
  manifestIn,
  messageOf,
  original,
  scratch,
  store,
  useMadeBackup,
} from "./made-backup.ts";

setDefaultTimeout(180_000);
useMadeBackup();

describe("damage is told", () => {
  test("of one byte in any file, and of any missing file", async () => {
    const names = filesIn(made).filter((name) => name !== "lock.db");
    expect(names.length).toBeGreaterThan(filled.attachments.length);
    for (const name of names) {
      const target = copyOf(made);
      const path = `${target}/${name}`;
      const bytes = readFileSync(path);
      const at = Math.floor(Math.random() * bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(Math.random() * 8));
      writeFileSync(path, bytes);
      const told = /is damaged|has other bytes|has another size/;
      expect(`${name} ${at}: ${await messageOf(verify(new FolderTarget(target), scratch))}`).toMatch(told);
      const data = folder();
      expect(`${name} ${at}: ${await messageOf(restore(new FolderTarget(target), data))}`).toMatch(told);
      rmSync(path);
      expect(await messageOf(verify(new FolderTarget(target), scratch))).toMatch(/is missing|there is no backup/);
      for (const used of [target, data]) rmSync(used, { recursive: true, force: true });
    }
  });

  test("and mended by the next backup once the object is removed", async () => {
    const target = copyOf(made);
    const { manifest } = manifestIn(target);
    const { sha256 } = manifest.database.pieces[0] as { sha256: string };
    rmSync(`${target}/objects/${sha256.slice(0, 2)}/${sha256}`);
    await create(original, new FolderTarget(target));
    await verify(new FolderTarget(target), scratch, manifest.id);
  });

  test("a restore that found damage leaves nothing that starts, and goes on with the object in its place", async () => {
    const [target, data] = [copyOf(made), folder()];
    const { manifest } = manifestIn(target);
    const { sha256 } = manifest.attachments.list[0] as { sha256: string };
    const path = `${target}/objects/${sha256.slice(0, 2)}/${sha256}`;
    renameSync(path, `${target}/away`);
    expect(await messageOf(restore(new FolderTarget(target), data))).toContain("is missing");
    for (const command of [
      "serve",
      "doctor",
      "init --org A --admin-email a@example.org",
      "ticket list",
      "migrate up",
    ]) {
      const { code, stderr } = await run([...command.split(" "), "--data", data]);
      expect(`${command}: ${code} ${stderr}`).toMatch(
        /: 1 intake: the data directory .* is being restored from the backup/,
      );
    }
    expect(await messageOf(restore(new FolderTarget(made), data))).toContain("is being restored from the backup");
    renameSync(`${target}/away`, path);
    await restore(new FolderTarget(target), data);
    expect(contentsOf(data)).toEqual(contentsOf(original));
  });
});

describe("what a backup says is not trusted", () => {
  const lines = ["../../../../etc/passwd", "/etc/passwd", "..", "ID\n", "ID ID", "ID".toUpperCase()];
  test.each(lines)("an attachment named %j is refused", async (line) => {
    const [target, data] = [copyOf(made), folder()];
    const object = store(target, "something");
    const id = line.replaceAll("ID", "0199a0aa-aaaa-7aaa-8aaa-aaaaaaaaaaaa");
    const list = store(target, `${object.sha256} ${object.bytes} ${id}\n`);
    forge(target, (manifest) => ({
      ...manifest,
      attachments: { files: 1, bytes: object.bytes, missing: 0, differing: 0, list: [list] },
    }));
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toMatch(/not written by intake|without a row/);
    expect(await messageOf(restore(new FolderTarget(target), data))).toMatch(/not written by intake|without a row/);
    expect(filesIn(data).filter((name) => /passwd|0199a0aa/.test(name))).toEqual([]);
  });

  test("a digest that is a path is refused", async () => {
    const target = copyOf(made);
    const evil = { sha256: "../../../../etc/passwd", bytes: 10 };
    forge(target, (manifest) => ({ ...manifest, secretKey: evil }));
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toContain("is damaged");
  });

  test.each([
    ["a time", (manifest: Manifest) => ({ ...manifest, asOf: "Nov 23 2026 (\u001b[2J)" })],
    ["a version", (manifest: Manifest) => ({ ...manifest, intake: "\u001b[2J" })],
    ["a count", (manifest: Manifest) => ({ ...manifest, holds: { ...manifest.holds, tickets: "\u001b[2J" as never } })],
    ["an id", (manifest: Manifest) => ({ ...manifest, holds: { ...manifest.holds, newestTicket: "\u001b[2J" } })],
  ])("%s that steers a terminal is refused", async (_, change) => {
    const target = copyOf(made);
    forge(target, change);
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toContain("is damaged");
    const { backups, unreadable } = await listBackups(new FolderTarget(target));
    expect({ backups: backups.length, unreadable: unreadable.length }).toEqual({ backups: 0, unreadable: 1 });
  });

  test("symbolic links are not followed", async () => {
    const target = copyOf(made);
    const { sha256 } = manifestIn(target).manifest.database.pieces[0] as { sha256: string };
    const path = `${target}/objects/${sha256.slice(0, 2)}/${sha256}`;
    renameSync(path, `${target}/away`);
    symlinkSync(`${target}/away`, path);
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toContain("is a symbolic link");
  });

  test("another key than the database's is refused", async () => {
    const [target, data] = [copyOf(made), folder()];
    const key = store(target, `${"ab".repeat(32)}\n`);
    forge(target, (manifest) => ({ ...manifest, secretKey: key }));
    expect(await messageOf(verify(new FolderTarget(target), scratch))).toContain("is another key");
    expect(await messageOf(restore(new FolderTarget(target), data))).toContain("is another key");
    expect((await run(["serve", "--data", data])).stderr).toContain("is being restored");
  });

  test("a newer backup is refused, and so is one of a newer schema", async () => {
    const [format, schema] = [copyOf(made), copyOf(made)];
    forge(format, (manifest) => ({ ...manifest, format: 2, intake: "9.1.0" }));
    expect(await messageOf(restore(new FolderTarget(format), folder()))).toContain("made by a newer intake (9.1.0)");
    forge(schema, (manifest) => ({ ...manifest, schema: 900, intake: "9.1.0" }));
    expect(await messageOf(restore(new FolderTarget(schema), folder()))).toContain("use intake 9.1.0 or newer");
  });
});
