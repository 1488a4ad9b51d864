import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { run } from "../support/binary.ts";
import { contentsOf, create, restore, verify } from "./backups.ts";
import { folder, made, messageOf, original, scratch, useMadeBackup } from "./made-backup.ts";

setDefaultTimeout(180_000);
useMadeBackup();

describe("places that cannot be used", () => {
  test("a restore needs a new or an empty directory", async () => {
    const used = folder();
    mkdirSync(used);
    writeFileSync(`${used}/letter.txt`, "mine");
    expect(await messageOf(restore(new FolderTarget(made), used))).toContain("is not empty (letter.txt)");
    expect(readdirSync(used)).toEqual(["letter.txt"]);
    expect(await messageOf(restore(new FolderTarget(made), original))).toContain("is not empty");
  });

  test("a file in the place of a folder is named", async () => {
    const file = folder();
    writeFileSync(file, "mine");
    expect(await messageOf(create(original, new FolderTarget(file)))).toContain(`${file} is a file, or lies in one`);
    expect(await messageOf(restore(new FolderTarget(made), file))).toContain(`${file} is a file: `);
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("a full disk: no backup, no directory that starts, and both go on when there is room", async () => {
    const disk = folder();
    mkdirSync(disk);
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]);
    if (mounted.exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${mounted.stderr}`);
    try {
      const target = new FolderTarget(`${disk}/target`);
      expect(await messageOf(create(original, target))).toMatch(/is full \(ENOSPC\)|make room/);
      expect(await target.ids()).toEqual([]);
      expect(await messageOf(restore(new FolderTarget(made), `${disk}/data`))).toMatch(/make room/);
      Bun.spawnSync(["mount", "-o", "remount,size=64m", disk]);
      await create(original, target);
      await verify(target, scratch);
      await restore(target, `${disk}/data`);
      expect(contentsOf(`${disk}/data`)).toEqual(contentsOf(original));
      Bun.spawnSync(["mount", "-o", "remount,ro", disk]);
      expect(await messageOf(create(original, target))).toContain("cannot be used (");
      await verify(target, scratch);
    } finally {
      Bun.spawnSync(["umount", "--lazy", disk]);
    }
  });

  test("two runs do not write to one target at once", async () => {
    const target = folder();
    const lock = await new FolderTarget(target).lock();
    expect(await messageOf(create(original, new FolderTarget(target)))).toContain(
      "another run of intake backup writes",
    );
    await lock.release();
    await create(original, new FolderTarget(target));
  });

  test.each([
    [["backup", "create"], 2, "--to is missing"],
    [["backup", "create", "--to", "ORIGINAL/backup"], 1, "is in the data directory"],
    [["backup", "create", "--to", "https://bucket"], 1, "must be a folder or s3://"],
    [["backup", "create", "--to", "s3://bucket"], 1, "names no region"],
    [["backup", "create", "--to", "s3://bucket?region=a1"], 1, "object storage needs a key"],
    [["backup", "create", "--to", "/dev/null/x"], 1, "/dev/null/x is a file, or lies in one (ENOTDIR); give a folder"],
    [["backup", "list"], 2, "FROM is missing"],
    [["backup", "verify", "NOWHERE"], 1, "there is no backup in the folder"],
    [["backup", "verify", "NOWHERE", "--id", "../x"], 2, "must be the id of a backup"],
    [["backup", "prune", "NOWHERE", "--keep", "7"], 2, "must be numbers of days"],
  ])("%j says what is wrong", async (args, code, text) => {
    const nowhere = folder();
    const words = args.map((arg) => arg.replace("ORIGINAL", original).replace("NOWHERE", nowhere));
    const found = await run([...words, "--data", original]);
    expect(found.stderr).toContain(text);
    expect(found.code).toBe(code);
    expect(existsSync(nowhere)).toBe(false);
  });

  test("on PostgreSQL, commands name the tools to use", async () => {
    const env = { INTAKE_DATABASE_URL: "postgres://localhost/intake" };
    for (const args of [
      ["backup", "create", "--to", scratch],
      ["restore", made],
    ]) {
      const { code, stderr } = await run([...args, "--data", folder()], { env });
      expect(`${code} ${stderr}`).toMatch(/^1 .*pg_dump.*intake db move --back/);
    }
  });
});
