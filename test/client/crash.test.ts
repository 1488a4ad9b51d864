import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { newCredential } from "../../server/core/credential.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bundle } from "./bundle.ts";
import { installed, installRuntimes } from "./install.ts";
import { readForm } from "./queue/read-form.ts";

/** What a process does. */
export interface Crash {
  url: string;
  key: string;
  how:
    | "an error"
    | "an error with members"
    | "a rejection"
    | "an object"
    | "an exit code of its own"
    | "two errors"
    | "a listener of the app"
    | "an error that cannot be printed"
    | "stopped";
  sdk: boolean;
  flushMs?: number;
  exit?: boolean;
}

setDefaultTimeout(180_000);
const folder = temporaryFolder();
const script = join(folder, "crash.mjs");
const key = newCredential("isk_");
const runtimes = { "Node 20": installed.node20, "Node 24": installed.node24, Bun: installed.bun };

/** Reports that arrived, and what the next request is answered; one that is undefined stays without an answer. */
let titles: unknown[] = [];
let causes: unknown[] = [];
let stalls = false;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 60,
  async fetch(request) {
    const { envelope } = readForm(await request.bytes());
    const { title, type, level, exception } = envelope as unknown as Record<string, never>;
    titles.push([title, type, level]);
    causes.push(((exception as unknown as { causes?: { value: string }[] }).causes ?? []).map(({ value }) => value));
    if (stalls) await new Promise(() => {});
    return Response.json({ status: "received", eventId: crypto.randomUUID(), deliveryCount: 0, idempotent: false });
  },
});

beforeAll(async () => {
  installRuntimes();
  await Bun.write(script, await bundle("crash-script.ts"));
});
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

async function crash(runtime: string, task: Omit<Crash, "url" | "key">, ...flags: string[]) {
  [titles, causes, stalls] = [[], [], task.flushMs !== undefined];
  const child = Bun.spawn([runtime, ...flags, script], {
    env: { CRASH: JSON.stringify({ url: server.url.origin, key, ...task }), NO_COLOR: "1" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, stdout, stderr };
}

/**
 * Node prints the line of the source and a blank line before the error. Bun prints more of an error that the program prints
 * than of one that ends it, and names the machine behind its version.
 */
function comparable(runtime: string, stderr: string) {
  if (runtime !== installed.bun) return stderr.replace(/^[^\n]*:\d+\n[\s\S]*?\n\n/, "");
  return [/^\w*error: .*$/im.exec(stderr)?.[0], /\nBun v\S+/.exec(stderr)?.[0]];
}

describe.each(Object.entries(runtimes))("a process of %s that ends by", (_, runtime) => {
  const cause = ["the cart is empty"];
  const alike = {
    "an error": [["TypeError: total is undefined", "crash", "fatal"], cause],
    "an error with members": [["Error: refused", "crash", "fatal"], []],
    "a rejection": [["RangeError: too far", "crash", "fatal"], []],
    "an exit code of its own": [["TypeError: total is undefined", "crash", "fatal"], cause],
  } as const;

  test.each(Object.entries(alike))("%s ends as without the SDK, and its report arrives", async (how, [title, told]) => {
    const without = await crash(runtime, { how: how as Crash["how"], sdk: false });
    const { code, stdout, stderr } = await crash(runtime, { how: how as Crash["how"], sdk: true });
    expect([code, stdout]).toEqual([without.code, "exit 1\n"]);
    expect(comparable(runtime, stderr)).toEqual(comparable(runtime, without.stderr));
    expect([titles, causes]).toEqual([[title], [told]]);
  });

  test("what is no error sends what was thrown", async () => {
    const { code, stderr } = await crash(runtime, { how: "an object", sdk: true });
    expect([code, titles]).toEqual([1, [['{"code":7}', "crash", "fatal"]]]);
    expect(stderr).toMatch(/code: 7/);
  });

  test("two errors sends both, and ends once", async () => {
    const { code, stdout } = await crash(runtime, { how: "two errors", sdk: true });
    expect([code, stdout, titles.length]).toEqual([1, "exit 1\n", 2]);
  });

  test("an error that cannot be printed ends all the same", async () => {
    const { code } = await crash(runtime, { how: "an error that cannot be printed", sdk: true });
    expect([code, titles]).toEqual([1, [["Error: odd", "crash", "fatal"]]]);
  });

  test("an error, with a server that never answers, waits no longer than it was told", async () => {
    const began = performance.now();
    const { code } = await crash(runtime, { how: "an error", sdk: true, flushMs: 2_000 });
    expect([code, titles.length]).toEqual([1, 1]);
    // Less than the 20 s that it waits unless it is told otherwise.
    expect(performance.now() - began).toBeLessThan(18_000);
  });

  test("nothing, when the app listens itself or wants to go on", async () => {
    const own = await crash(runtime, { how: "a listener of the app", sdk: true });
    expect([own.code, own.stdout, own.stderr]).toEqual([0, "the app has total is undefined\nexit 0\n", ""]);
    expect(titles).toHaveLength(1);
    const on = await crash(runtime, { how: "an error", sdk: true, exit: false });
    expect([on.code, on.stdout, titles.length]).toEqual([0, "exit 0\n", 1]);
    expect(on.stderr).toContain("total is undefined");
  });

  test("an error after it was stopped sends nothing", async () => {
    const { code } = await crash(runtime, { how: "stopped", sdk: true });
    expect([code, titles]).toEqual([1, []]);
  });
});

test("Node's option for rejections keeps its meaning", async () => {
  const { code, stderr } = await crash(
    installed.node24,
    { how: "a rejection", sdk: true },
    "--unhandled-rejections=warn",
  );
  expect([code, titles]).toEqual([0, []]);
  expect(stderr).toContain("UnhandledPromiseRejectionWarning");
});
