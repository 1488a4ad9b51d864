import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { spoolFiles } from "../../server/store/spool-folder.ts";
import { callInternal } from "../dashboard/settings/call-internal.ts";
import { run, runJson, serve } from "../support/binary.ts";
import { install } from "../support/installation.ts";
import { signIn } from "../support/sign-in.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(400_000);

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("doctor tells when the log is not kept, waits too long, or has grown large", async () => {
  const data = `${folder}/data`;
  const spool = `${data}/wal-spool`;
  const { apiToken } = await runJson<{ apiToken: { token: string } }>([
    ...["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"],
  ]);
  const set = async (name: string, value: string) => {
    expect((await run(["settings", "set", name, value, "--data", data])).stderr).toBe("");
  };
  const log = async () => {
    const { stdout } = await run(["doctor", "--json", "--data", data]);
    const { checks } = JSON.parse(stdout) as { checks: { check: string; code: string; text: string }[] };
    return checks.find(({ check }) => check === "backups: log");
  };
  expect(await log()).toBeUndefined();
  await set("backup_log", "on");
  expect(await log()).toMatchObject({ code: "backup_log_stopped", text: expect.stringContaining("backup_to") });
  // A target that refuses everything: its place is a file.
  writeFileSync(`${folder}/file`, "");
  await set("backup_to", `${folder}/file/backups`);
  expect(await log()).toMatchObject({ code: "ok", text: "no server runs, so nothing is shipped" });
  const server = await serve(data);
  try {
    await until(() => spoolFiles(spool)[0]);
    expect(await log()).toMatchObject({ code: "ok", text: expect.stringContaining("it is kept and shipped") });
    const response = await fetch(`${server.url}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiToken.token}`, "content-type": "application/json" },
      body: '{"title":"One"}',
    });
    expect(response.status).toBe(201);
    const oldest = await until(() => (spoolFiles(spool).length > 1 ? spoolFiles(spool)[0]?.file : undefined));
    const before = Date.now() / 1_000 - 180;
    utimesSync(`${spool}/${oldest}`, before, before);
    expect(await log()).toMatchObject({
      code: "backup_log_behind",
      text: expect.stringContaining("the oldest segment has waited for 3 minutes"),
    });
    const large = `${spool}/20200101T000000000Z-000000-0000000001.spool`;
    writeFileSync(large, "");
    truncateSync(large, 300 * 2 ** 20);
    expect(await log()).toMatchObject({ code: "backup_log_large", text: expect.stringContaining("MiB wait") });
    rmSync(large, { force: true });
  } finally {
    await server.stop();
  }
});

test("a moment of backups that were made without the log is refused with what to do", async () => {
  const [data, target] = [`${folder}/plain`, `${folder}/plain-backups`];
  await runJson(["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"]);
  expect((await run(["backup", "list", target])).stderr).toContain("there is no backup in the folder");
  expect((await run(["backup", "create", "--data", data, "--to", target])).code).toBe(0);
  expect((await run(["backup", "list", target])).stderr).toBe("");
  const to = `${folder}/restored`;
  const { code, stderr } = await run(["restore", target, "--data", to, "--at", new Date().toISOString()]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("was made with backup_log on")]);
  expect(stderr).toContain("leave --at out for the newest");
});

test("the page is told up to when the log is shipped, and why none is kept", async () => {
  const installation = await install();
  const data = installation.folder;
  const server = await serve(data);
  try {
    const target = { installation, send: (path: string, init?: RequestInit) => fetch(server.url + path, init) };
    const { cookie } = await signIn(target, "admin");
    const ask = (method: string, path: string, body?: unknown) => callInternal(target, cookie, method, path, body);
    const set = async (name: string, value: string) => {
      expect((await ask("PATCH", `/internal/settings/${name}`, { value })).status).toBe(200);
    };
    const log = async () => {
      const shown = (await ask("GET", "/internal/backups")) as unknown as { log: Record<string, unknown> | null };
      return shown.log;
    };
    expect(await log()).toBeNull();
    await set("backup_to", `${data}-backups`);
    await set("backup_log", "on");
    const since = Date.now();
    const kept = await until(async () => {
      const found = await log();
      return Date.parse(String(found?.["upTo"])) > since ? found : undefined;
      // The log begins with a backup, which has the lowest priority.
    }, 150);
    expect(kept).toMatchObject({ stopped: null, failure: null, lostSince: null, gaps: [] });
    // Where the spool was, no file can be made any more.
    rmSync(`${data}/wal-spool`, { recursive: true });
    writeFileSync(`${data}/wal-spool`, "");
    await set("backup_every", "12");
    const stopped = await until(async () => {
      const found = await log();
      return found?.["stopped"] === null ? undefined : found;
    });
    expect(stopped).toMatchObject({ stopped: expect.stringContaining("ENOTDIR"), lostSince: stopped?.["upTo"] });
    await set("backup_every", "24");
  } finally {
    await server.stop();
    for (const path of [data, `${data}-backups`]) rmSync(path, { recursive: true, force: true });
  }
});
