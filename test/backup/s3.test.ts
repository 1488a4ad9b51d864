import { afterAll, beforeAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LockOwner } from "../../server/backup/lock-owner.ts";
import { openTarget } from "../../server/backup/open-target.ts";
import { pruneBackups } from "../../server/backup/prune-backups.ts";
import type { TargetLock } from "../../server/backup/target.ts";
import { readKeepRule } from "../../server/core/keep-rule.ts";
import { fillInstallation } from "../scale/fill-installation.ts";
import { run } from "../support/binary.ts";
import { install } from "../support/installation.ts";
import { S3Server, s3Environment, s3Region } from "../support/s3-server.ts";
import { contentsOf, create, restore, verify } from "./backups.ts";

setDefaultTimeout(180_000);

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
  let asked = 0;
  const sizeOf = target.sizeOf.bind(target);
  target.sizeOf = (sha256) => {
    asked++;
    return sizeOf(sha256);
  };
  const first = await create(original, target);
  expect(asked).toBe(0);
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
  expect(await pruneBackups({ target, keep, logDays: 7, dryRun: false }, out)).toMatchObject({
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
    { target, keep: readKeepRule("1d"), logDays: 7, dryRun: false },
    { note: () => {}, progress: () => {} },
  );
  expect(pruned).toMatchObject({ objectsRemoved: 1, bytesRemoved: 4 });
  await verify(target, scratch);
});

test("the lock of a run that was killed is taken over on its machine at once, and elsewhere later", async () => {
  const place = storage.newPlace("p");
  const target = openTarget(place, s3Environment);
  const child = Bun.spawn(["sleep", "60"]);
  const left = await target.lock();
  const bucket = new Bun.S3Client({
    accessKeyId: s3Environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: s3Environment.AWS_SECRET_ACCESS_KEY,
    endpoint: storage.endpoint,
    region: s3Region,
    bucket: new URL(place).hostname,
  });
  const file = bucket.file((await bucket.list()).contents?.find(({ key }) => key.endsWith("lock.json"))?.key ?? "");
  const lock = (await file.json()) as { owner: LockOwner };
  const leave = (owner: LockOwner) => file.write(JSON.stringify({ ...lock, owner }));
  await leave({ ...lock.owner, machine: "another", pid: child.pid, started: "1" });
  await expect(target.lock()).rejects.toThrow("killed less than 15 minutes ago");
  child.kill("SIGKILL");
  await child.exited;
  await leave({ ...lock.owner, pid: child.pid });
  const { id } = await create(original, target);
  expect(await target.ids()).toEqual([id]);
  // Had it not been killed, it would not finish beside the other.
  await expect(left.require()).rejects.toThrow("has taken over");
  await left.release();
});

test("a lock that another run takes while this one looks at it stays with that run", async () => {
  const target = openTarget(storage.newPlace("p"), s3Environment);
  const first = await target.lockObjects();
  const { fetch: send } = globalThis;
  let second: TargetLock | undefined;
  // Between the look at the lock and its removal, the first run releases it and another one takes it.
  const sendLate: typeof send = Object.assign(async (...[url, init]: Parameters<typeof send>) => {
    if (second || !String(url).includes("list-type")) return send(url, init);
    await first.release();
    const answer = await send(url, init);
    second = await target.lockObjects();
    return answer;
  }, send);
  const sent = spyOn(globalThis, "fetch").mockImplementation(sendLate);
  try {
    await expect(target.lockObjects()).rejects.toThrow("another run adds to or removes from");
  } finally {
    sent.mockRestore();
  }
  await second?.require();
  await second?.release();
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
