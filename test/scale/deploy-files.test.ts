import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../../server/cli/commands.ts";
import { unknownVariables } from "../../server/cli/unknown-variables.ts";

const folder = join(import.meta.dir, "../../server/deploy/two-nodes");
const text = (name: string) => readFileSync(join(folder, name), "utf8");

/** The settings as systemd reads them. */
const environment = Object.fromEntries(
  text("environment")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
) as Record<string, string>;

test("the settings for two machines are all known, and hold no secret", () => {
  expect(unknownVariables(commands, environment)).toEqual([]);
  const named = Object.keys(environment).filter((name) => /DATABASE_URL|AWS|SECRET/.test(name));
  expect(named.filter((name) => !name.endsWith("_FILE"))).toEqual([]);
});

test("systemd waits for a stop until the load balancer has turned away and the last requests are answered", () => {
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(text("shared.conf"))?.[1]);
  expect(seconds).toBeGreaterThanOrEqual(Number(environment["INTAKE_DRAIN"]) + 25 + 5);
});

test("both proxies name the same two machines, and pass on no POST that one of them has got", () => {
  const backends = (name: string) => [...new Set(text(name).match(/\d+\.\d+\.\d+\.\d+:3000/g))];
  expect(backends("nginx.conf")).toEqual([`${environment["INTAKE_HOST"]}:3000`, "10.0.0.12:3000"]);
  expect(backends("Caddyfile")).toEqual(backends("nginx.conf"));
  expect(text("Caddyfile")).toContain("health_uri /readyz");
  expect(/^ *proxy_next_upstream (.*);$/m.exec(text("nginx.conf"))?.[1]).toBe("error");
});
