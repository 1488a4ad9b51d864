import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { lockFile } from "../../server/core/lock-file.ts";
import { callInternal } from "../dashboard/settings/call-internal.ts";
import { type RunningBinary, run, serve } from "../support/binary.ts";
import { type Installation, install } from "../support/installation.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { signIn } from "../support/sign-in.ts";
import { isAlive } from "../support/unprivileged.ts";
import { until } from "../support/until.ts";
import { verify } from "./backups.ts";

// Backups have the lowest priority: beside other tests they take many times as long as alone.
setDefaultTimeout(400_000);
const patience = 150;

let scratch: string;
let installation: Installation;
let server: RunningBinary;
const target = () => ({ installation, send: (path: string, init?: RequestInit) => fetch(server.url + path, init) });

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "intake-schedule-"));
  installation = await install();
  server = await serve(installation.folder);
});
afterAll(async () => {
  await server.stop();
  for (const path of [scratch, installation.folder]) rmSync(path, { recursive: true, force: true });
});

interface Shown {
  status: number;
  message?: string;
  to: string | null;
  fixedTo: string | null;
  nextAt: string | null;
  working: { doing: string } | null;
  made: { backupId: string; bytes: number; addedBytes: number } | null;
  verified: { backupId: string } | null;
  tries: {
    number: number;
    origin: string;
    backupId: string | null;
    failure: string | null;
    pruneFailure: string | null;
  }[];
}

async function admin() {
  const { cookie } = await signIn(target(), "admin");
  const ask = (method: string, path: string, body?: unknown) =>
    callInternal(target(), cookie, method, path, body) as Promise<unknown> as Promise<Shown>;
  return {
    ask,
    shown: () => ask("GET", "/internal/backups"),
    set: (name: string, value: string) => ask("PATCH", `/internal/settings/${name}`, { value }),
    /** Waits until the newest tries are as they should be, and nothing goes on. */
    settled: (fits: (shown: Shown) => boolean) =>
      until(async () => {
        const shown = await ask("GET", "/internal/backups");
        return shown.working === null && fits(shown) ? shown : undefined;
      }, patience),
  };
}

test("nothing is backed up before an admin says where", async () => {
  const { ask, shown } = await admin();
  expect(await shown()).toMatchObject({ to: null, nextAt: null, working: null, tries: [] });
  expect(await ask("POST", "/internal/backups", {})).toMatchObject({
    status: 400,
    message: "say first where backups are made to",
  });
});

test("a folder in the data directory is refused, also behind a link", async () => {
  const { set } = await admin();
  const link = join(scratch, "link");
  symlinkSync(installation.folder, link);
  for (const to of [installation.folder, `${installation.folder}/backups`, `${link}/here`]) {
    const { status, message } = await set("backup_to", to);
    expect(`${status} ${message}`).toMatch(/^400 .* is in the data directory/);
    expect((await run(["settings", "set", "backup_to", to, "--data", installation.folder])).code).toBe(1);
    const started = await run(["serve", "--data", installation.folder, "--backup-to", to]);
    expect(`${started.code} ${started.stderr}`).toMatch(/^1 .* is in the data directory/);
  }
});

test("once it is said where, a backup is made and read back; “Back up now” makes another, and the rule removes the first", async () => {
  const { ask, set, settled, shown } = await admin();
  const to = join(scratch, "first");
  await set("backup_keep", "1d");
  expect(await set("backup_to", to)).toMatchObject({ status: 200, value: to } as never);
  const first = await settled(({ verified }) => verified !== null);
  const [one] = first.tries;
  expect(first.tries).toMatchObject([{ number: 1, origin: "schedule", failure: null, pruneFailure: null }]);
  expect(first.verified?.backupId).toBe(one?.backupId as string);
  expect(first.made?.bytes).toBeGreaterThan(0);
  await verify(new FolderTarget(to), scratch, one?.backupId as string);
  expect(existsSync(`${to}/unfinished/verify`)).toBe(false);
  expect(Date.parse((await shown()).nextAt as string) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  expect(await ask("POST", "/internal/backups", {})).toMatchObject({ status: 200, to });
  const second = await settled(
    ({ tries, verified }) => verified?.backupId === tries[0]?.backupId && tries.length === 2,
  );
  expect(second.tries[0]).toMatchObject({ origin: "page" });
  expect(await new FolderTarget(to).ids()).toEqual([second.made?.backupId as string]);
  expect(server.stderr()).toContain('"made a backup"');
  expect(server.stderr()).toContain('"a backup was read back and is sound"');
});

test("a failure is told in words, and a backup by hand is noted too", async () => {
  const { set, settled } = await admin();
  const to = join(scratch, "taken");
  await new FolderTarget(to).lock().then((lock) => lock.release());
  const lock = lockFile(`${to}/lock.db`, () => new Error("taken"));
  await set("backup_to", to);
  const failed = await settled(({ tries }) => tries[0]?.failure !== null);
  const { tries } = failed;
  expect(tries[0]?.failure).toBe(`another run of intake backup writes to the folder ${to}; wait until it has ended`);
  lock.release();
  const { code, stderr } = await run(["backup", "create", "--data", installation.folder, "--to", to]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const noted = await settled(({ tries: [newest] }) => newest?.origin === "command");
  const [byHand] = noted.tries;
  expect(byHand).toMatchObject({ origin: "command", failure: null, target: to } as never);
  await run(["backup", "verify", to, "--data", installation.folder]);
  expect((await settled(({ verified }) => verified?.backupId === byHand?.backupId)).made?.backupId).toBe(
    byHand?.backupId as string,
  );
});

test("a server that is killed leaves no command behind, and the next one says what became of the backup", async () => {
  await server.stop();
  const begun = Date.now();
  let to = "";
  // A command that was held too late has made its backup already.
  do {
    to = join(scratch, crypto.randomUUID());
    server = await serve(installation.folder, ["--backup-to", to]);
    const child = await until(() => childOf(server.pid), patience);
    process.kill(child, "SIGSTOP");
    await server.stop("SIGKILL");
    process.kill(child, "SIGCONT");
    await until(() => !isAlive(child) || undefined, patience);
  } while ((await new FolderTarget(to).ids()).length > 0);
  server = await serve(installation.folder, ["--backup-to", to, "--metrics", "127.0.0.1:0"]);
  const { ask, settled } = await admin();
  const interrupted = await settled(() => true);
  expect(interrupted.fixedTo).toBe(to);
  expect(interrupted.tries[0]?.failure).toBe("the server was stopped or killed before the backup was made");
  await ask("POST", "/internal/backups", {});
  const { made } = await settled(
    ({ tries, verified }) => tries[0]?.backupId !== null && tries[0]?.backupId === verified?.backupId,
  );
  const metricsUrl = await until(() => /"metrics":"([^"]+)"/.exec(server.stderr())?.[1]);
  const metrics = parseMetrics(await (await fetch(metricsUrl)).text());
  const sampleOf = (name: string) => metrics.get(name)?.samples[0]?.value;
  expect(sampleOf("intake_backup_bytes")).toBe(made?.bytes as number);
  expect(sampleOf("intake_backup_overdue")).toBe(0);
  expect(sampleOf("intake_backup_failures_total")).toBe(0);
  expect(Number(sampleOf("intake_backup_verified_timestamp_seconds"))).toBeWithin(
    Math.floor(begun / 1_000),
    Date.now() / 1_000 + 1,
  );
});

test("a server that stops ends the backup, and waits for it", async () => {
  const { ask } = await admin();
  // Asks again where a backup came and went between two looks; while one is made, asking changes nothing.
  const child = await until(async () => {
    await ask("POST", "/internal/backups", {});
    return childOf(server.pid);
  }, patience);
  expect(await server.stop()).toBe(0);
  expect(isAlive(child)).toBe(false);
  server = await serve(installation.folder);
});

/** A process that a server has started, if there is one. */
function childOf(pid: number): number | undefined {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean);
    } catch {
      // The thread has ended meanwhile.
      return [];
    }
  });
  return children.map(Number).find(isAlive);
}
