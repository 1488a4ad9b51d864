import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readKeepRule } from "../../server/backup/keep-rule.ts";
import { openTarget } from "../../server/backup/open-target.ts";
import { pruneBackups } from "../../server/backup/prune-backups.ts";
import { fillInstallation } from "../scale/fill-installation.ts";
import { run } from "../support/binary.ts";
import { install } from "../support/installation.ts";
import { S3Server, s3Environment } from "../support/s3-server.ts";
import { contentsOf, create, restore, verify } from "./backups.ts";

setDefaultTimeout(120_000);

let storage: S3Server;
let scratch: string;
let original: string;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "intake-backup-s3-"));
  const [installation, server] = await Promise.all([install(), S3Server.start()]);
  storage = server;
  await fillInstallation(installation);
  original = installation.folder;
}, 300_000);
afterAll(async () => {
  await storage?.stop();
  for (const path of [scratch, original]) rmSync(path, { recursive: true, force: true });
});

test("a backup in a bucket: made, listed, verified, restored, made again without a byte, and pruned", async () => {
  const place = storage.newPlace("some/prefix");
  const target = openTarget(place, s3Environment);
  const first = await create(original, target);
  expect(readdirSync(`${original}/backups/unfinished`)).toEqual(["lock.db"]);
  const { stdout, stderr, code } = await run(["backup", "verify", place], { env: s3Environment });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`the backup ${first.id} of ${first.asOf} is sound`);
  const second = await create(original, target);
  expect(second.addedBytes).toBe(0);
  expect(await target.ids()).toEqual([first.id, second.id]);
  const data = join(scratch, "data");
  await restore(target, data);
  expect(contentsOf(data)).toEqual(contentsOf(original));
  const keep = readKeepRule("1d");
  const out = { note: () => {}, progress: () => {} };
  expect(await pruneBackups({ target, keep, dryRun: false }, out)).toMatchObject({
    kept: [second.id],
    removed: [first.id],
    objectsRemoved: 0,
  });
  await verify(target, scratch);
});

test("one run writes to a place at a time, and a killed run's objects are swept", async () => {
  const target = openTarget(storage.newPlace("p"), s3Environment);
  const lock = await target.lock();
  await expect(create(original, target)).rejects.toThrow("another run of intake backup writes to s3://");
  await target.put({ sha256: Bun.SHA256.hash("left", "hex"), bytes: 4 }, new Uint8Array(Buffer.from("left")));
  await lock.release();
  await create(original, target);
  const pruned = await pruneBackups(
    { target, keep: readKeepRule("1d"), dryRun: false },
    { note: () => {}, progress: () => {} },
  );
  expect(pruned).toMatchObject({ objectsRemoved: 1, bytesRemoved: 4 });
  await verify(target, scratch);
});

test("storage that refuses is told with what to do, and nothing of the key", async () => {
  const place = storage.newPlace();
  const env = { ...s3Environment, AWS_SECRET_ACCESS_KEY: "another secret" };
  const { code, stderr } = await run(["backup", "create", "--data", original, "--to", place], { env });
  expect(code).toBe(1);
  expect(stderr).toMatch(/object storage refuses the request \(403 \w+\)\. Run the same command again/);
  expect(stderr).not.toContain("another secret");
  const missing = await run(["backup", "list", storage.address("no-such-bucket/")], { env: s3Environment });
  expect(missing.stderr).toContain("the bucket does not exist");
});
