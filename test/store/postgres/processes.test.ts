import "../../support/on-postgres.ts";
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { SQL } from "bun";
import { setSetting } from "../../../server/core/settings.ts";
import type { Row } from "../../../server/core/store.ts";
import { type RunningBinary, run, serve } from "../../support/binary.ts";
import { databases } from "../../support/databases.ts";
import { deliveriesOf, subscribe, tell } from "../../support/deliveries.ts";
import { envelope, storeReport } from "../../support/ingest.ts";
import { type Installation, install } from "../../support/installation.ts";
import { accept, Receiver } from "../../support/receiver.ts";
import {
  endLease,
  heldRun,
  machine,
  postRunner,
  queueRun,
  type RunProject,
  runOf,
  runProject,
} from "../../support/runs.ts";
import { signIn } from "../../support/sign-in.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/until.ts";

/** Beyond the heartbeats of a dead process, on a busy machine too: less than the lease of a delivery, a minute. */
const takeoverMilliseconds = 45_000;

// A new database, or a server to start first, costs a busy machine its time.
setDefaultTimeout(180_000);

let installation: Installation;
const folders: string[] = [];
let servers: RunningBinary[] = [];
let receiver: Receiver | undefined;
beforeEach(async () => {
  installation = await install();
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop("SIGKILL")));
  servers = [];
  await receiver?.close();
  receiver = undefined;
  await installation.remove();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Starts another process at the database of the installation, with a folder of its own. */
async function start(folder = temporaryFolder()): Promise<RunningBinary> {
  folders.push(folder);
  databases.set(folder, installation.databaseUrl ?? "");
  const key = `${installation.folder}/secret.key`;
  if (existsSync(key)) copyFileSync(key, `${folder}/secret.key`);
  const args = ["--rate-limits", "off", "--webhook-allow", "127.0.0.0/8"];
  const server = await serve(folder, args, { env: { INTAKE_WEBHOOK_SCHEDULE: "0,0.1,0.1,0.1" } });
  if (!existsSync(key)) copyFileSync(`${folder}/secret.key`, key);
  servers.push(server);
  return server;
}

const sender = ({ url }: RunningBinary) => ({
  send: (path: string, init?: RequestInit) => fetch(url + path, init),
});

const rows = <R extends Row>(text: string) => {
  const sql = { sqlite: "select 1", postgres: text };
  return installation.ctx.store.all<R>(sql);
};

/** An open page of an admin at one process, and what it hears. */
async function page(server: RunningBinary) {
  const { cookie } = await signIn({ installation }, "admin");
  const stream = await fetch(`${server.url}/internal/live`, { headers: { cookie } });
  let text = "";
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  const reading = (async () => {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) text += read.value;
  })().catch(() => {});
  const heard = (part: string) => text.split(part).length - 1;
  await until(() => heard("event: hello") || undefined);
  return { heard, hears: (part: string) => until(() => heard(part) || undefined), reading };
}

async function makeTicket(
  { url }: RunningBinary,
  token = installation.made.apiToken.token,
  ticket: object = {},
): Promise<string> {
  const response = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "A card", ...ticket }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

/** The processes that hold a duty. */
async function holders(): Promise<string[]> {
  const held = await rows<{ url: string }>(
    "select distinct coalesce(p.url, d.holder) as url from duty d left join process p on p.id = d.holder",
  );
  return held.map(({ url }) => url);
}

const heldBy = (server: RunningBinary) =>
  until(async () => {
    const [{ count } = { count: 0 }] = await rows<{ count: number }>("select count(*) as count from duty");
    const urls = await holders();
    return count >= 8 && urls.length === 1 && urls[0] === server.url ? true : undefined;
  });

test("what one process stores, pages of the others hear of, and runners that wait there", async () => {
  const [one, other] = [await start(), await start()];
  const open = await page(other);
  await open.hears(await makeTicket(one));
  expect(open.heard("event: resync")).toBe(0);

  const project = await runProject(installation);
  const waiting = postRunner(sender(other), "claim", {
    token: project.runner.token,
    body: { claimId: crypto.randomUUID(), runner: { name: "machine", version: "1", labels: [] }, waitSeconds: 20 },
  });
  const assigneeUserId = installation.made.agent.id;
  const ticketId = await makeTicket(one, project.author.token, { projectId: project.projectId, assigneeUserId });
  expect(await (await waiting).json()).toMatchObject({ ticket: { id: ticketId } });
});

test("what a command changes, every open page loads again", async () => {
  const open = await Promise.all([await start(), await start()].map(page));
  const made = await run(["project", "create", "--name", "Other", "--data", folders[0] ?? ""]);
  expect(made.stderr).toBe("");
  for (const { hears, heard } of open) {
    await hears("event: resync");
    expect(heard("event: resync")).toBe(1);
  }
  await run(["project", "list", "--data", folders[0] ?? ""]);
  await open[1]?.hears(await makeTicket(servers[0] as RunningBinary));
  expect(open[1]?.heard("event: resync")).toBe(1);
});

test("a runner that has hung up while its claim waited for the database gets no run", async () => {
  const server = await start();
  const claim = ({ runner }: RunProject, init: RequestInit = {}) =>
    postRunner({ send: (path, rest) => fetch(server.url + path, { ...rest, ...init }) }, "claim", {
      token: runner.token,
      body: { claimId: crypto.randomUUID(), runner: machine },
    });
  const [empty, project] = [await runProject(installation), await runProject(installation)];
  const { runId } = await queueRun(installation, project);

  // A claim writes down its runner, and the claims of a process run one after the other.
  const other = new SQL(installation.databaseUrl ?? "", { max: 1 });
  const first = await other.begin(async (sql) => {
    await sql`lock table runner in exclusive mode`;
    const waiting = claim(empty);
    await until(async () => ((await rows("select 1 from pg_locks where not granted")).length > 0 ? true : undefined));
    const hangUp = new AbortController();
    const second = claim(project, { signal: hangUp.signal });
    for (let i = 0; i < 10; i++) await fetch(`${server.url}/readyz`);
    hangUp.abort();
    await expect(second).rejects.toThrow();
    for (let i = 0; i < 10; i++) await fetch(`${server.url}/readyz`);
    return { waiting };
  });
  await other.close();
  expect((await first.waiting).status).toBe(204);
  const third = await claim(project);
  expect(third.status).toBe(200);
  expect(await third.json()).toMatchObject({ run: { id: runId, attempt: 1 } });
});

test("a process that stops leaves its duties at once, and pages of others have missed nothing", async () => {
  const one = await start();
  await heldBy(one);
  const other = await start();
  const open = await page(other);
  const id = await makeTicket(one);
  expect(await one.stop()).toBe(0);
  expect(await rows("select id from process")).toHaveLength(1);
  expect(await holders()).not.toContain(one.url);
  await heldBy(other);
  await open.hears(id);
  // Longer than other processes take to see that one is gone.
  await open.hears(await makeTicket(other));
  await until(async () => ((await beats(other)) ? true : undefined));
  await open.hears(await makeTicket(other));
  expect(open.heard("event: resync")).toBe(0);
});

/** Resolves with true after another heartbeat. */
async function beats({ url }: RunningBinary): Promise<boolean> {
  const seen = () => rows<{ seen_at: number }>(`select seen_at from process where url = '${url}'`);
  const [before] = await seen();
  await until(async () => ((await seen())[0]?.seen_at !== before?.seen_at ? true : undefined));
  return true;
}

test("a killed process leaves its deliveries, duties and runs to the others soon, and pages load again once", async () => {
  receiver = await Receiver.listen({ behave: () => {} });
  const one = await start();
  await heldBy(one);
  const { id: subscriber } = await subscribe(installation, { url: receiver.url() });
  await tell(installation);
  await receiver.until(({ requests }) => requests.length === 1);
  const other = await start();
  const open = await page(other);
  const { runId } = await heldRun({ ...sender(one), installation } as Parameters<typeof heldRun>[0]);

  receiver.behave = accept;
  await one.stop("SIGKILL");
  const killed = performance.now();
  await endLease(installation, runId);
  await receiver.until(({ requests }) => requests.length === 2);
  expect(performance.now() - killed).toBeLessThan(takeoverMilliseconds);
  await until(async () => ((await runOf(installation, runId)).state === "queued" ? true : undefined));
  await heldBy(other);
  expect(performance.now() - killed).toBeLessThan(takeoverMilliseconds);
  await open.hears("event: resync");

  await until(async () => {
    const [delivery] = await deliveriesOf(installation, subscriber);
    if (delivery?.state !== "delivered") return undefined;
    expect(delivery.attempts.map(({ error }) => error)).toEqual(["abandoned", undefined]);
    return true;
  });
  await open.hears(await makeTicket(other));
  expect(open.heard("event: resync")).toBe(1);
});

test("a process that starts again in the folder of a killed one takes what that had under way at once", async () => {
  receiver = await Receiver.listen({ behave: () => {} });
  const one = await start();
  const { id: subscriber } = await subscribe(installation, { url: receiver.url() });
  await tell(installation);
  await receiver.until(({ requests }) => requests.length === 1);
  receiver.behave = accept;
  await one.stop("SIGKILL");
  const [dead] = await rows<{ id: string }>("select id from process");
  // For the others the killed process lives on, however long this takes.
  await rows("update process set seen_at = 1e300");
  const again = await start(folders[0]);
  await until(async () =>
    (await deliveriesOf(installation, subscriber))[0]?.state === "delivered" ? true : undefined,
  );
  const left = await rows<{ id: string; url: string }>("select id, url from process");
  expect(left).toEqual([{ id: expect.any(String), url: again.url }]);
  expect(left[0]?.id).not.toBe(dead?.id);
  await heldBy(again);
});

test("a process that was paused in the middle of retention deletes no report too many once it goes on", async () => {
  const [kept, all] = [40, 400];
  const { id: projectId } = installation.made.project;
  for (let i = 0; i < 4; i++) await storeReport(installation, [envelope({ title: `Report ${i}` })]);
  await rows(
    `insert into event select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'report_id', null,
       'received_at', e.received_at + n))).* from event e cross join generate_series(1, ${all / 4 - 1}) n`,
  );
  await rows(
    `insert into project_usage_change (project_id, events, bytes, file_bytes, day, day_bytes)
     values ('${projectId}', ${all - 4}, 0, 0, '', 0)`,
  );
  const counted = async () => (await rows<{ n: number }>("select count(*) as n from event"))[0]?.n ?? 0;
  expect(await counted()).toBe(all);
  const one = await start();
  await heldBy(one);
  await setSetting({ ctx: installation.ctx, input: { name: "retention_events", value: String(kept) } });
  await until(async () => ((await counted()) < all ? true : undefined));
  process.kill(one.pid, "SIGSTOP");
  try {
    expect(await counted()).toBeGreaterThan(kept);
    const other = await start();
    await heldBy(other);
    await until(async () => ((await counted()) === kept ? true : undefined));
  } finally {
    process.kill(one.pid, "SIGCONT");
  }
  await until(async () => (await rows(`select 1 from process where url = '${one.url}'`))[0]);
  await beats(one);
  expect(await holders()).not.toContain(one.url);
  expect(await counted()).toBe(kept);
}, 180_000);

test("a process that was paused settles nothing with leases that others have taken, and works on", async () => {
  const sockets: Parameters<typeof accept>[] = [];
  receiver = await Receiver.listen({ behave: (...request) => sockets.push(request) });
  const one = await start();
  await heldBy(one);
  const { id: subscriber } = await subscribe(installation, { url: receiver.url() });
  await tell(installation);
  await receiver.until(({ requests }) => requests.length === 1);
  const other = await start();

  receiver.behave = accept;
  process.kill(one.pid, "SIGSTOP");
  try {
    await receiver.until(({ requests }) => requests.length === 2);
    await heldBy(other);
    await tell(installation);
    for (const [socket, request] of sockets) accept(socket, request);
  } finally {
    process.kill(one.pid, "SIGCONT");
  }
  const living = () => rows<{ url: string }>("select url from process");
  await until(async () => ((await living()).some(({ url }) => url === one.url) ? true : undefined));
  await beats(one);
  expect(await holders()).toEqual([other.url]);
  const deliveries = await until(async () => {
    const all = await deliveriesOf(installation, subscriber);
    return all.every(({ state }) => state === "delivered") ? all : undefined;
  });
  expect(deliveries.map(({ attempts }) => attempts.map(({ error }) => error)).sort()).toEqual([
    [undefined],
    ["abandoned", undefined],
  ]);
  expect(receiver.requests).toHaveLength(3);
  await other.stop();
  await heldBy(one);
});
