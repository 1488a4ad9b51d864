import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { version } from "../../package.json";
import { type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { onPostgres } from "../support/databases.ts";
import { boundary, envelope, submit } from "../support/ingest.ts";
import { type DataFolder, newDataFolder } from "../support/installation.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

let folder: DataFolder;
let data: string;
let server: RunningBinary;
let metricsUrl: string;
let made: { apiToken: { token: string }; sdkKey: { key: string }; project: { id: string }; agent: { id: string } };

beforeAll(async () => {
  folder = await newDataFolder();
  data = folder.folder;
  made = await runJson(["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"]);
  server = await serve(data, ["--metrics", "127.0.0.1:0", "--rate-limits", "off", "--webhook-allow", "127.0.0.0/8"]);
  metricsUrl = await until(() => /"metrics":"([^"]+)"/.exec(server.stderr())?.[1]);
});
afterAll(async () => {
  await server.stop();
  await folder.remove();
});

async function metrics() {
  const response = await fetch(metricsUrl);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  const families = parseMetrics(await response.text());
  return {
    families,
    value: (name: string, labels: Record<string, string> = {}, suffix = "") =>
      families
        .get(name)
        ?.samples.find(
          (sample) =>
            sample.name === name + suffix &&
            Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
        )?.value,
  };
}

const ticket = (body: unknown) =>
  fetch(`${server.url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${made.apiToken.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const send = (path: string, init?: RequestInit) => fetch(server.url + path, init);

test("every metric is sound, documented in docs/operating.md, and has a bounded set of labels", async () => {
  await ticket({ title: "One" });
  await ticket({});
  await submit({ send }, { key: made.sdkKey.key });
  const { families } = await metrics();
  const page = await Bun.file(new URL("../../docs/operating.md", import.meta.url)).text();
  const labels = new Set<string>();
  for (const [name, { samples }] of families) {
    expect([name, page.includes(`\`${name}`)]).toEqual([name, true]);
    for (const sample of samples) for (const label of Object.keys(sample.labels)) labels.add(label);
  }
  const known = [
    "route",
    "status",
    "code",
    "status_class",
    "le",
    "project",
    "outcome",
    "state",
    "version",
    "bun",
    "rule",
  ];
  // Of connections to a database.
  if (onPostgres) known.push("kind", "reason");
  expect([...labels].filter((label) => !known.includes(label))).toEqual([]);
});

test("answers are timed by route and class of status", async () => {
  const count = async (route: string, status_class: string) =>
    (await metrics()).value("intake_request_duration_seconds", { route, status_class }, "_count") ?? 0;
  const before = [
    await count("createTicket", "2xx"),
    await count("createTicket", "4xx"),
    await count("submitReport", "2xx"),
  ];
  for (let n = 0; n < 3; n++) expect((await ticket({ title: "Timed" })).status).toBe(201);
  expect((await ticket({})).status).toBe(400);
  expect((await submit({ send }, { key: made.sdkKey.key })).status).toBe(200);
  const after = [
    await count("createTicket", "2xx"),
    await count("createTicket", "4xx"),
    await count("submitReport", "2xx"),
  ];
  expect(after.map((now, i) => now - (before[i] ?? 0))).toEqual([3, 1, 1]);
  const { value } = await metrics();
  const seconds = value("intake_request_duration_seconds", { route: "createTicket", status_class: "2xx" }, "_sum") ?? 0;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(60);
});

test("what waits is counted: deliveries of a paused subscriber, mails that no server takes, runs that nobody takes, nothing once indexes are up", async () => {
  const receiver = await Receiver.listen();
  const subscriber = await runJson<{ id: string }>([
    ...["subscriber", "add", "--project", made.project.id, "--url", receiver.url(), "--data", data],
    ...["--webhook-allow", "127.0.0.0/8"],
  ]);
  expect((await run(["subscriber", "pause", subscriber.id, "--data", data])).code).toBe(0);
  for (let n = 0; n < 3; n++) await submit({ send }, { key: made.sdkKey.key, parts: [envelope({ n })] });
  await ticket({ title: "For the agent", assigneeUserId: made.agent.id });
  // Nothing listens there.
  const mail = { smtp_host: "localhost", smtp_port: "1", smtp_security: "none", mail_from: "intake@example.org" };
  for (const [name, value] of Object.entries({ ...mail, public_url: "http://intake.example.org" })) {
    expect((await run(["settings", "set", name, value, "--data", data])).code).toBe(0);
  }
  await runJson(["member", "add", "--email", "bob@example.org", "--name", "Bob", "--role", "member", "--data", data]);
  // Counts are kept for five seconds.
  const now = await until(async () => {
    const one = await metrics();
    const counted = one.value("intake_deliveries_waiting") === 3 && one.value("intake_mails_waiting") === 1;
    return counted ? one : undefined;
  });
  const runs = ["queued", "waiting", "claimed", "running"].map((state) => now.value("intake_runs", { state }) ?? 0);
  expect(runs.reduce((sum, count) => sum + count)).toBe(1);
  await until(async () => {
    const { value } = await metrics();
    // PostgreSQL has no index of keys that could be behind.
    const indexes = ["cards", "reports", ...(onPostgres ? [] : ["keys"])];
    return indexes.every((what) => value(`intake_index_${what}_behind`) === 0) || undefined;
  });
  await receiver.close();
});

test("room that uploads under way have set aside is told, and given back", async () => {
  const setAside = async () => (await metrics()).value("intake_set_aside_bytes");
  expect(await setAside()).toBe(0);
  const form = new TransformStream<Uint8Array, Uint8Array>();
  const answering = submit({ send }, { key: made.sdkKey.key, body: form.readable });
  const writer = form.writable.getWriter();
  await writer.write(
    new TextEncoder().encode(`--${boundary}\r\nContent-Disposition: form-data; name="envelope"\r\n\r\n`),
  );
  await writer.write(new TextEncoder().encode(`{"text":"${"x".repeat(100_000)}"}`));
  // Its length is not declared: what the largest would take, but for what has come.
  const bytes = await until(async () => (await setAside()) || undefined);
  expect(bytes).toBeGreaterThan(30_000_000);
  expect(bytes).toBeLessThan(40_000_000);
  await writer.write(new TextEncoder().encode(`\r\n--${boundary}--\r\n`));
  await writer.close();
  expect((await answering).status).toBe(200);
  await until(async () => (await setAside()) === 0 || undefined);
});

test("the build and the process tell of themselves under the usual names", async () => {
  const { families, value } = await metrics();
  expect(value("intake_build_info", { version, bun: Bun.version })).toBe(1);
  expect(families.get("process_cpu_seconds_total")?.type).toBe("counter");
  const started = (value("process_start_time_seconds") ?? 0) * 1_000;
  expect(Math.abs(Date.now() - started)).toBeLessThan(600_000);
  for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_virtual_memory_bytes"]) {
    expect(value(name)).toBeGreaterThan(0);
  }
  expect(value("process_open_fds")).toBeGreaterThan(5);
  expect(value("process_max_fds")).toBeGreaterThan(value("process_open_fds") ?? 0);
});
