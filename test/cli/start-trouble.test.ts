import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { binaryPath, requireBinary, run, serve } from "../support/binary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) {
    Bun.spawnSync(["umount", "--lazy", folder], { stderr: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  }
});

function fresh(): string {
  const folder = temporaryFolder();
  folders.push(folder);
  chmodSync(folder, 0o755);
  return folder;
}

/** Runs the binary as a user without rights. */
function asNobody(folder: string, ...args: string[]) {
  requireBinary();
  const copy = `${folder}/intake`;
  if (!existsSync(copy)) Bun.spawnSync(["cp", binaryPath, copy]);
  const command = ["setpriv", "--reuid", "nobody", "--clear-groups", "env", "-i", copy, ...args];
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command, "--data", `${folder}/home/data`], {
    cwd: "/",
    timeout: 150_000,
  });
  return { code: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** An organisation of nobody's. */
function installed(): { folder: string; data: string } {
  const folder = fresh();
  mkdirSync(`${folder}/home`);
  Bun.spawnSync(["chown", "nobody", `${folder}/home`]);
  const { code, stderr } = asNobody(folder, "init", "--org", "Example", "--admin-email", "a@example.org");
  if (code !== 0) throw new Error(stderr);
  return { folder, data: `${folder}/home/data` };
}

const lineOf = (stderr: string) => stderr.trimEnd().split("\n");
const serveArgs = ["serve", "--port", "0", "--metrics", "off"];

test("a data directory that this user may not read is named with that cause, by every command", () => {
  const { folder, data } = installed();
  Bun.spawnSync(["chown", "root", data]);
  for (const args of [serveArgs, ["project", "list"], ["doctor"], ["migrate", "status"]]) {
    const { code, stderr } = asNobody(folder, ...args);
    expect([code, ...lineOf(stderr)]).toEqual([
      1,
      expect.stringMatching(
        /^intake: the data directory \S+ cannot be used: this user may not read, write and open it \(EACCES\)/,
      ),
    ]);
  }
  Bun.spawnSync(["chown", "nobody", data]);
  chmodSync(data, 0o500);
  expect(asNobody(folder, ...serveArgs).stderr).toContain("this user may not write it (EACCES)");
  chmodSync(data, 0o300);
  expect(asNobody(folder, "project", "list").stderr).toContain("this user may not read it (EACCES)");
  chmodSync(`${folder}/home`, 0o700);
  Bun.spawnSync(["chown", "root", `${folder}/home`]);
  expect(asNobody(folder, "project", "list").stderr).toMatch(/cannot be used: .*\(EACCES\)/);
});

test("a data directory that is a file, or on a read-only file system, is named with that cause", async () => {
  const folder = fresh();
  await Bun.write(`${folder}/file`, "");
  const file = await run([...serveArgs, "--data", `${folder}/file`]);
  expect([file.code, file.stderr]).toEqual([1, expect.stringContaining("it is not a directory (ENOTDIR)")]);
  const disk = fresh();
  const mount = (options: string) => Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk]);
  if (mount("size=16m").exitCode !== 0) throw new Error("this test needs to mount a small disk");
  await run(["init", "--data", `${disk}/data`, "--org", "Example", "--admin-email", "a@example.org"]);
  mount("remount,ro");
  const { code, stderr } = await run([...serveArgs, "--data", `${disk}/data`]);
  expect([code, ...lineOf(stderr)]).toEqual([1, expect.stringContaining("its file system is read-only (EROFS)")]);
});

test("a database that cannot be written stops the start with one line, and starts once it can be", async () => {
  const { folder, data } = installed();
  for (const file of ["intake.db", "intake.db-wal"]) {
    if (!existsSync(`${data}/${file}`)) {
      await Bun.write(`${data}/${file}`, "");
      Bun.spawnSync(["chown", "nobody", `${data}/${file}`]);
    }
    chmodSync(`${data}/${file}`, 0o444);
    for (const args of [serveArgs, ["project", "list"]]) {
      const { code, stdout, stderr } = asNobody(folder, ...args);
      expect([code, stdout, ...lineOf(stderr)]).toEqual([
        1,
        "",
        expect.stringMatching(
          new RegExp(`^intake: ${data}/${file} cannot be used: this user may not write it \\(EACCES\\)`),
        ),
      ]);
    }
    chmodSync(`${data}/${file}`, 0o600);
  }
  expect(asNobody(folder, "project", "list").code).toBe(0);
});

test("doctor says of an older schema what to do, and nothing that follows from it", async () => {
  for (const known of [1, 2, migrations.length - 1]) {
    const folder = fresh();
    migrate(folder, migrations.slice(0, known));
    chmodSync(folder, 0o700);
    const { code, stdout } = await run(["doctor", "--data", folder]);
    const failed = stdout.split("\n").filter((line) => !line.startsWith("ok ") && line !== "");
    expect([code, ...failed]).toEqual([1, expect.stringMatching(/^FAIL {2}schema: schema \d+ .*intake migrate up/)]);
  }
});

test("SIGHUP stops as SIGTERM does; under nohup it does nothing", async () => {
  const data = fresh();
  const server = await serve(data);
  expect(await server.stop("SIGHUP")).toBe(0);
  expect(server.stderr()).toContain('"signal":"SIGHUP"');
  expect(existsSync(`${data}/lock.json`)).toBe(false);

  const kept = await serve(data, [], { before: ["nohup"] });
  kept.process.kill("SIGHUP");
  expect((await fetch(`${kept.url}/livez`)).status).toBe(200);
  expect(await kept.stop("SIGTERM")).toBe(0);
  expect(kept.stderr()).not.toContain("SIGHUP");
});

test("a variable that begins with INTAKE_ and means nothing is warned of, with the name that may be meant", async () => {
  const env = {
    INTAKE_PUBLIC_ULR: "https://secret.example.org",
    INTAKE_HOSTT_FILE: "/nowhere",
    INTAKE_SOMETHING_ELSE_ENTIRELY: "1",
    INTAKE_URL: "https://intake.example.org",
    INTAKE_RUN_ID: "x",
    INTAKE_METRICS_FILE: "",
  };
  const server = await serve(fresh(), [], { env });
  await until(() => (server.stderr().includes('"started"') ? true : undefined));
  await server.stop();
  const warned = server
    .stderr()
    .split("\n")
    .filter((line) => line.includes("unknown variable"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(warned).toEqual([
    expect.objectContaining({ level: "WARN", variable: "INTAKE_PUBLIC_ULR", nearest: "INTAKE_PUBLIC_URL" }),
    expect.objectContaining({ level: "WARN", variable: "INTAKE_HOSTT_FILE", nearest: "INTAKE_HOST_FILE" }),
    expect.objectContaining({ level: "WARN", variable: "INTAKE_SOMETHING_ELSE_ENTIRELY" }),
  ]);
  expect(warned[2]).not.toHaveProperty("nearest");
  expect(server.stderr()).not.toContain("secret.example.org");
});

test("the systemd unit lets no core dump hold what is secret", async () => {
  const unit = await Bun.file(new URL("../../server/deploy/intake.service", import.meta.url)).text();
  expect(unit).toMatch(/^LimitCORE=0$/m);
});
