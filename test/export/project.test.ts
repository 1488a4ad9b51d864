import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProject } from "../../server/boards/create-project.ts";
import { lockFile } from "../../server/core/lock-file.ts";
import type { Manifest } from "../../server/export/manifest.ts";
import { type Filled, fillInstallation } from "../scale/fill-installation.ts";
import { binaryPath, run, runJson } from "../support/binary.ts";
import { databaseEnvironment } from "../support/databases.ts";
import { attachment, envelope, storeReport } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

/** Kills of the test of kills; `KILL_ROUNDS` makes more. */
const rounds = Number(process.env["KILL_ROUNDS"] ?? 5);

let scratch: string;
let filled: Filled;
let original: Installation;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "intake-export-"));
  original = await install();
  filled = await fillInstallation(original);
});
afterAll(async () => {
  rmSync(scratch, { recursive: true, force: true });
  await original.remove();
});

const args = ({ folder, made }: Installation, to: string, project = made.project.id) => [
  ...["project", "export", project, "--to", to, "--data", folder],
];
const exported = (installation: Installation, to: string) => runJson<Manifest & { to: string }>(args(installation, to));
const refused = async (installation: Installation, to: string, project?: string) => {
  const { code, stdout, stderr } = await run(args(installation, to, project));
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  return stderr;
};

function linesOf(to: string, name: string): Record<string, unknown>[] {
  const text = readFileSync(join(to, name), "utf8");
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const sha256 = (bytes: Uint8Array) => Bun.SHA256.hash(bytes, "hex");

/** Reads everything back by the manifest and by the lines. */
function verify(to: string): Manifest {
  const manifest = JSON.parse(readFileSync(join(to, "manifest.json"), "utf8")) as Manifest;
  expect(readdirSync(to).sort()).toEqual(
    [
      "manifest.json",
      ...manifest.files.map(({ path }) => path),
      ...(existsSync(join(to, "attachments")) ? ["attachments"] : []),
    ].sort(),
  );
  for (const file of manifest.files) {
    const bytes = readFileSync(join(to, file.path));
    expect({ bytes: bytes.length, sha256: sha256(bytes) }).toEqual({ bytes: file.bytes, sha256: file.sha256 });
    if (file.lines !== undefined) expect(linesOf(to, file.path)).toHaveLength(file.lines);
    expect(file.readFrom >= manifest.startedAt && file.readFrom <= file.readUntil).toBe(true);
    expect(file.readUntil <= manifest.finishedAt).toBe(true);
  }
  const attachments = linesOf(to, "reports.jsonl").flatMap(
    (report) => report["attachments"] as { file: string | null; sha256: string }[],
  );
  const named = attachments.flatMap(({ file }) => file ?? []);
  expect(named).toHaveLength(manifest.attachments.files);
  for (const { file, sha256: digest } of attachments) {
    if (file !== null) expect(sha256(readFileSync(join(to, file)))).toBe(digest);
  }
  const stored = existsSync(join(to, "attachments"))
    ? readdirSync(join(to, "attachments"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
  expect(stored).toHaveLength(named.length);
  return manifest;
}

describe("an export", () => {
  test("holds each ticket with its activity, and each report with its envelope and attachments", async () => {
    const to = join(scratch, "whole");
    const result = await exported(original, to);
    expect(verify(to)).toEqual((({ to: _, ...manifest }) => manifest)(result));
    const tickets = linesOf(to, "tickets.jsonl");
    // The second one was deleted for good.
    const answers = filled.tickets.toSpliced(1, 1).map(({ answer }) => JSON.parse(answer) as Record<string, unknown>);
    for (const [i, { url, ...answer }] of answers.entries()) expect(tickets[i]).toMatchObject(answer);
    expect(tickets).toHaveLength(answers.length);
    const activity = linesOf(to, "activity.jsonl");
    expect(activity.filter(({ kind }) => kind === "created")).toHaveLength(tickets.length);
    expect(activity).toContainEqual(
      expect.objectContaining({
        ticketId: tickets[0]?.["id"],
        kind: "commented",
        actor: expect.objectContaining({ name: "Ada" }),
      }),
    );
    const reports = linesOf(to, "reports.jsonl");
    expect(reports.map(({ id }) => id)).toEqual(filled.attachments.map(({ eventId }) => eventId));
    for (const [i, { bytes }] of filled.attachments.entries()) {
      const [one] = (reports[i]?.["attachments"] ?? []) as { file: string }[];
      expect(readFileSync(join(to, one?.file ?? ""))).toEqual(Buffer.from(bytes));
      expect(reports[i]).toMatchObject({ envelope: { title: expect.stringMatching(/^Crash /), tags: { a: "b" } } });
    }
    const project = JSON.parse(readFileSync(join(to, "project.json"), "utf8"));
    expect(project).toMatchObject({
      id: original.made.project.id,
      boards: [{ columns: [{ name: "Backlog" }, {}, {}, {}] }],
    });
    const columns = new Set(project.boards[0].columns.map(({ id }: { id: string }) => id));
    for (const { columnId } of tickets) expect(columns.has(columnId)).toBe(true);
  });

  test("is refused where something else is, and names what is in the way", async () => {
    const to = join(scratch, "foreign");
    mkdirSync(to);
    writeFileSync(join(to, "notes.txt"), "mine");
    expect(await refused(original, to)).toContain('is not empty: "notes.txt" is no part of an export');
    expect(readdirSync(to)).toEqual(["notes.txt"]);
    expect(await refused(original, join(to, "notes.txt"))).toContain("is no folder");
    expect(await refused(original, join(original.folder, "export"))).toContain("is in the data directory");
    const whole = join(scratch, "whole");
    expect(await refused(original, whole)).toContain("holds the export of the project");
    verify(whole);
    const absent = "0198c0de-0000-7000-8000-00000000dead";
    expect(await refused(original, join(scratch, "absent"), absent)).toContain(`there is no project ${absent}`);
    expect(existsSync(join(scratch, "absent"))).toBe(false);
  });

  test("that the disk has no room for goes on when there is, and a read-only folder is named", async () => {
    const to = join(scratch, "disk");
    mkdirSync(to);
    const mount = (...options: string[]) => Bun.spawnSync(["mount", ...options, to]).exitCode;
    if (mount("-t", "tmpfs", "-o", "size=400k", "tmpfs") !== 0) return console.warn("not root: no disk can be filled");
    try {
      expect(await refused(original, to)).toContain(
        `the disk of ${to} is full; make room and run the same command again`,
      );
      expect(existsSync(join(to, "manifest.json"))).toBe(false);
      expect(mount("-o", "remount,ro")).toBe(0);
      expect(await refused(original, to)).toContain("cannot be written to (EROFS)");
      expect(mount("-o", "remount,rw,size=20m")).toBe(0);
      await exported(original, to);
      verify(to);
    } finally {
      Bun.spawnSync(["umount", to]);
    }
  });
});

describe("of many reports", () => {
  let many: Installation;
  const text = `\ufeff{\r\n  "title": "first", "big": 12345678901234567890.10, "a": 1,\n "a": "\\u2028\\n"}\n`;
  beforeAll(async () => {
    many = await install();
    await storeReport(many, [envelope(text), attachment("bytes")]);
    for (let i = 0; i < 2_200; i++) {
      await storeReport(many, [envelope({ n: i }), ...(i % 100 === 0 ? [attachment(`attachment ${i}`)] : [])]);
    }
  });
  afterAll(() => many.remove());

  test(`an export that is killed ${rounds} times is the same in the end as one that was not`, async () => {
    const [whole, to] = [join(scratch, "many"), join(scratch, "killed")];
    const began = performance.now();
    await exported(many, whole);
    const takes = performance.now() - began;
    verify(whole);
    const begunReports = () => {
      const path = join(to, "progress.json");
      return existsSync(path) && JSON.parse(readFileSync(path, "utf8")).files["reports.jsonl"].lines > 0;
    };
    let goneOn = 0;
    for (let round = 0; round < rounds && !existsSync(join(to, "manifest.json")); round++) {
      const child = Bun.spawn([binaryPath, ...args(many, to)], {
        stdio: ["ignore", "ignore", "ignore"],
        env: databaseEnvironment(many.folder),
      });
      // The first one is killed among its reports, however long it takes there on a machine that has become busy.
      if (round === 0) await until(() => begunReports() || child.exitCode !== null || undefined, 150);
      else await Promise.race([child.exited, Bun.sleep(takes * (0.5 + Math.random() * 0.4))]);
      child.kill("SIGKILL");
      await child.exited;
      if (begunReports()) goneOn++;
    }
    expect(existsSync(join(to, "manifest.json")) || goneOn > 0).toBe(true);
    if (!existsSync(join(to, "manifest.json"))) await exported(many, to);
    verify(to);
    for (const name of ["project.json", "tickets.jsonl", "reports.jsonl"]) {
      expect(readFileSync(join(to, name)).equals(readFileSync(join(whole, name)))).toBe(true);
    }
  });

  test("an envelope stands on one line, as the app sent it", () => {
    const line = readFileSync(join(scratch, "many", "reports.jsonl"), "utf8").split("\n")[0] ?? "";
    expect(line).toEndWith(`,"envelope":${text.slice(1).replace(/[\r\n]/g, " ")}}`);
    expect(JSON.parse(line).digest).toBe(sha256(Buffer.from(text)));
  });

  test("a begun export of another project is not mixed with this one, and two do not write at once", async () => {
    const { id } = await createProject({ ctx: many.ctx, input: { name: "Other" } });
    const to = join(scratch, "begun");
    mkdirSync(to);
    const progress = { format: "intake-project-export", version: 1, project: { id, name: "Other" } };
    writeFileSync(join(to, "progress.json"), JSON.stringify(progress));
    expect(await refused(many, to)).toContain(`the begun export of the project ${id}`);
    writeFileSync(join(to, "progress.json"), "{");
    expect(await refused(many, to)).toContain("cannot be read");
    const busy = join(scratch, "busy");
    mkdirSync(busy);
    const lock = lockFile(join(busy, "lock.db"), () => new Error("locked"));
    expect(await refused(many, busy)).toContain(`another export writes to ${busy}`);
    lock.release();
    await exported(many, busy);
  });
});
