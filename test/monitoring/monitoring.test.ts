import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands } from "../../server/cli/commands.ts";
import { type RunningBinary, runJson, serve } from "../support/binary.ts";
import { onPostgres } from "../support/databases.ts";
import { submit } from "../support/ingest.ts";
import { type DataFolder, newDataFolder } from "../support/installation.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { until } from "../support/until.ts";

/** What is shipped for Prometheus and Grafana fits what a running server tells. */
const deploy = join(import.meta.dir, "../../server/deploy");
const alertsPath = join(deploy, "prometheus/intake-alerts.yml");
const alerts = readFileSync(alertsPath, "utf8");
const dashboard = JSON.parse(readFileSync(join(deploy, "grafana/intake-dashboard.json"), "utf8")) as {
  panels: { id: number; title: string; targets?: { expr: string }[] }[];
};
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

let folder: DataFolder;
let server: RunningBinary;
let metrics: string;

beforeAll(async () => {
  folder = await newDataFolder();
  const init = ["init", "--data", folder.folder, "--org", "Example", "--admin-email", "a@example.org"];
  const made = await runJson<{ apiToken: { token: string }; sdkKey: { key: string } }>(init);
  server = await serve(folder.folder, ["--metrics", "127.0.0.1:0"]);
  const url = await until(() => /"metrics":"([^"]+)"/.exec(server.stderr())?.[1]);
  const headers = { authorization: `Bearer ${made.apiToken.token}`, "content-type": "application/json" };
  await fetch(`${server.url}/api/v1/tickets`, { method: "POST", headers, body: '{"title":"One"}' });
  await fetch(`${server.url}/api/v1/tickets`, { method: "POST", headers, body: "{}" });
  await submit(
    { send: (path: string, init?: RequestInit) => fetch(server.url + path, init) },
    { key: made.sdkKey.key },
  );
  metrics = await (await fetch(url)).text();
});
afterAll(async () => {
  await server.stop();
  await folder.remove();
});

async function promtool(args: string[], stdin = ""): Promise<{ code: number; said: string }> {
  const child = Bun.spawn(["promtool", ...args], {
    stdin: new TextEncoder().encode(stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, said: code === 0 ? "" : out + error };
}
const fine = { code: 0, said: "" };

/** On one engine only: the write-ahead log and the index of keys of SQLite, and what happens on the way to PostgreSQL. */
const isOfOtherEngine = (name: string) =>
  onPostgres ? /^intake_(wal|index_keys|backup)_/.test(name) : /^intake_(database|limits|facts)_/.test(name);

/** The names of metrics in an expression, as the exposition has them: a family's name, without what a histogram adds. */
function namesIn(text: string): string[] {
  const names = text.match(/\b(?:intake|process)_[a-z_]+\b/g) ?? [];
  return [...new Set(names)].map((name) => name.replace(/_(bucket|sum|count)$/, ""));
}

test("promtool finds nothing against the names, units and types of a live /metrics", async () => {
  expect(await promtool(["check", "metrics"], metrics)).toEqual(fine);
  expect(
    (await promtool(["check", "metrics"], "# HELP a_millis A.\n# TYPE a_millis counter\na_millis 1\n")).code,
  ).not.toBe(0);
});

test("whatever only grows is a counter whose name ends with _total, and nothing else has such a name", () => {
  for (const [name, { type }] of parseMetrics(metrics))
    expect([name, type === "counter"]).toEqual([name, name.endsWith("_total")]);
});

test("histograms begin below what is usual and end beyond what is bearable", () => {
  const samples = [...parseMetrics(metrics)].filter(
    ([name, { type }]) => type === "histogram" && name.endsWith("_seconds"),
  );
  expect(samples.length).toBeGreaterThan(1);
  for (const [name, family] of samples) {
    const bounds = family.samples.flatMap(({ labels: { le } }) =>
      le === undefined ? [] : [Number(le.replace("+Inf", "Infinity"))],
    );
    const finite = bounds.filter(Number.isFinite);
    expect([name, Math.min(...finite) <= 0.05, Math.max(...finite) >= 10]).toEqual([name, true, true]);
  }
});

test("every metric that the dashboard and the alerts name is on a live /metrics", () => {
  const there = new Set(parseMetrics(metrics).keys());
  const named = namesIn([alerts.replace(/#.*/g, ""), ...expressions].join("\n"));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !there.has(name) && !isOfOtherEngine(name))).toEqual([]);
});

test("promtool can read the alerts, the example of a configuration and every expression of the dashboard", async () => {
  expect(await promtool(["check", "rules", alertsPath])).toEqual(fine);
  expect(await promtool(["check", "config", join(deploy, "prometheus/prometheus.yml")])).toEqual(fine);
  const scratch = mkdtempSync(join(tmpdir(), "intake-dashboard-"));
  const rules = expressions.map((expr, i) => {
    const plain = expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*");
    return { record: `dashboard:${i}`, expr: plain };
  });
  writeFileSync(join(scratch, "rules.yml"), JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  expect(await promtool(["check", "rules", join(scratch, "rules.yml")])).toEqual(fine);
  rmSync(scratch, { recursive: true });
});

test("the alerts are raised when they should be, and by nothing else", async () => {
  expect(await promtool(["test", "rules", join(import.meta.dir, "alerts.yml")])).toEqual(fine);
});

test("every alert has a case that raises it, a severity and a description; what it says to run is a command", () => {
  const cases = readFileSync(join(import.meta.dir, "alerts.yml"), "utf8");
  const { groups } = Bun.YAML.parse(alerts) as {
    groups: { rules: { alert: string; labels: { severity: string }; annotations: Record<string, string> }[] }[];
  };
  const names = commands.map(({ name }) => name);
  for (const { alert, labels, annotations } of groups.flatMap(({ rules }) => rules)) {
    expect([alert, cases.includes(`alertname="${alert}"`), ["critical", "warning"].includes(labels.severity)]).toEqual([
      alert,
      true,
      true,
    ]);
    expect(Object.keys(annotations).sort()).toEqual(["description", "summary"]);
    for (const [, words = ""] of (annotations["description"] ?? "").matchAll(/\bintake ((?:[a-z]+ ?)+)/g)) {
      expect([words, names.some((name) => `${words} `.startsWith(`${name} `))]).toEqual([words, true]);
    }
  }
});

test("panels have an id of their own, a title, and something to show", () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(panels.filter(({ title }) => title === "")).toEqual([]);
});
