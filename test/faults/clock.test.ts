import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { uptime } from "node:os";
import { run, runJson, serve } from "../support/binary.ts";
import { newDataFolder } from "../support/installation.ts";
import { withStoreOf } from "../support/open-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

interface Made {
  sdkKey: { key: string };
}

const made: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const remove of made) await remove();
});

const day = 86_400_000;
const reports = 5;

/**
 * Sets the clock of the binary this many days ahead; the machine's clock, and its time since the start, are unchanged.
 */
async function ahead(folder: string, days: number): Promise<Record<string, string>> {
  const preload = `${folder}/ahead-${days}.js`;
  await Bun.write(preload, `const real = Date.now; Date.now = () => real() + ${days * day};`);
  return { BUN_OPTIONS: `--preload=${preload}` };
}

async function submit(url: string, key: string, title: string) {
  const body = new FormData();
  body.append("envelope", new Blob([JSON.stringify({ title })]), "envelope.json");
  const headers = { authorization: `Bearer ${key}` };
  expect((await fetch(`${url}/api/ingest`, { method: "POST", headers, body })).status).toBe(200);
}

async function filled() {
  const folder = temporaryFolder();
  const data = `${folder}/data`;
  const { remove } = await newDataFolder(data);
  made.push(remove, async () => rmSync(folder, { recursive: true, force: true }));
  const { sdkKey } = await runJson<Made>([
    ...["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"],
  ]);
  const server = await serve(data);
  for (let i = 0; i < reports; i++) {
    await submit(server.url, sdkKey.key, `Report ${i}`);
  }
  expect(await server.stop()).toBe(0);
  const counted = () =>
    withStoreOf(data, async (store) => {
      const count = async (table: string) =>
        (await store.one<{ count: number }>(`select count(*) as count from ${table}`))?.count;
      return { events: await count("event"), receipts: await count("receipt") };
    });
  return { folder, data, sdkKey, counted };
}

test("one start with a clock 100 days ahead removes nothing, warns, and goes on after the confirmation", async () => {
  const { folder, data, counted } = await filled();
  const env = await ahead(folder, 100);
  const metrics = ["--metrics", "127.0.0.1:0"];
  const server = await serve(data, metrics, { env });
  const warning = await until(() =>
    server
      .stderr()
      .split("\n")
      .find((line) => line.includes("intake clock confirm")),
  );
  expect(warning).toContain("100 days later");
  const scraped = await until(() => /"metrics":"([^"]+)"/.exec(server.stderr())?.[1]);
  expect(await (await fetch(scraped)).text()).toContain("intake_clock_trusted 0");
  const doctor = await run(["doctor", "--data", data], { env });
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain("intake clock confirm");

  // Events were deleted by count, so the sweep has run; it has left events that are only old.
  await runJson(["settings", "set", "retention_events", String(reports - 1), "--data", data], { env });
  await until(async () => ((await counted()).events === reports - 1 ? true : undefined));
  expect(await counted()).toEqual({ events: reports - 1, receipts: reports });

  expect(await runJson(["clock", "show", "--data", data], { env })).toMatchObject({ trusted: false });
  expect(await runJson(["clock", "confirm", "--data", data], { env })).toMatchObject({ trusted: true });
  await until(async () => {
    const { events, receipts } = await counted();
    return events === 0 && receipts === 0 ? true : undefined;
  });
  expect(await server.stop()).toBe(0);
}, 180_000);

test("reports that come while the clock is 100 days behind are still there when it is right", async () => {
  const { folder, data, sdkKey, counted } = await filled();
  // The known time is given in seconds, so one second has to pass after the reports.
  const then = uptime();
  await until(() => uptime() >= then + 2 || undefined);
  const behind = await serve(data, [], { env: await ahead(folder, -100) });
  await submit(behind.url, sdkKey.key, "Received in the past");
  expect(await behind.stop()).toBe(0);
  const right = await serve(data);
  await runJson(["settings", "set", "retention_events", String(reports), "--data", data]);
  await until(async () => ((await counted()).events === reports ? true : undefined));
  const ordered = "select title from event order by received_at, id";
  const titles = await withStoreOf(data, (store) => store.all<{ title: string }>(ordered));
  expect(titles.at(-1)?.title).toBe("Received in the past");
  expect(await right.stop()).toBe(0);
}, 180_000);

test("a start with the right clock after it finds everything as it was, and says nothing", async () => {
  const { folder, data, counted } = await filled();
  const wrong = await serve(data, [], { env: await ahead(folder, 100) });
  await until(() => (wrong.stderr().includes("intake clock confirm") ? true : undefined));
  expect(await wrong.stop()).toBe(0);
  const right = await serve(data);
  await runJson(["settings", "set", "retention_events", String(reports - 1), "--data", data]);
  await until(async () => ((await counted()).events === reports - 1 ? true : undefined));
  expect(right.stderr()).not.toContain("clock");
  expect((await run(["doctor", "--data", data])).stdout).toContain("ok    clock");
  expect(await right.stop()).toBe(0);
}, 180_000);
