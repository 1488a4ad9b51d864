import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import type { RecentRequest } from "../../../server/live/recent-requests.ts";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { call, cookieOf } from "../../support/call.ts";
import { boundary, envelope, form } from "../../support/ingest.ts";
import { type DataFolder, newDataFolder } from "../../support/installation.ts";

const directories: DataFolder[] = [];
const servers: RunningBinary[] = [];

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  for (const { remove } of directories) await remove();
});

async function fresh(args: string[] = []) {
  const directory = await newDataFolder();
  directories.push(directory);
  const { folder } = directory;
  const server = await serve(folder, args);
  servers.push(server);
  const secret = new URL(readFileSync(`${folder}/setup-link`, "utf8").trim()).hash.slice(1);
  const target = { send: (path: string, init?: RequestInit) => fetch(server.url + path, init) };
  return { folder, server, secret, target };
}

const given = { organisation: "Example", email: "ada@example.org", password: "tractor lemon seven" };

test("setting up signs the person in, answers both secrets once, and holds with the first ticket and report", async () => {
  const { folder, server, secret, target } = await fresh();
  const state = await call(target, "GET", "/internal/setup");
  expect(state.body).toMatchObject({ state: "open" });
  expect(state.body["seconds"]).toBeWithin(1_700, 1_801);
  const publicUrl = "http://intake.example.org:3000";
  const made = await call(target, "POST", "/internal/setup", { body: { ...given, secret, publicUrl } });
  expect(made.status).toBe(200);
  const { apiToken, sdkKey } = made.body as { apiToken: { token: string }; sdkKey: { key: string } };
  const cookie = cookieOf(made);
  expect((await call(target, "GET", "/internal/me", { cookie })).body).toMatchObject({
    email: given.email,
    role: "admin",
  });
  expect((await call(target, "GET", "/internal/setup")).body).toEqual({ state: "done" });
  expect(existsSync(`${folder}/setup-link`)).toBe(false);
  const { body: log } = await call(target, "GET", "/internal/audit", { cookie });
  expect((log["items"] as { actor: string; action: string }[]).at(-1)).toMatchObject({
    actor: "setup link",
    action: "organisation.create",
  });

  const post = (body: unknown, credential: string | undefined) =>
    call(target, "POST", "/api/v1/tickets", {
      body,
      headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    });
  const ticket = await post({ title: "Hello" }, apiToken.token);
  expect(ticket.body["url"]).toBe(`${publicUrl}/cards/${ticket.body["id"]}`);
  await post({ tilte: "Hello" }, apiToken.token);
  await post({ title: "Hello" }, sdkKey.key);
  await post({ title: "Hello" }, undefined);
  await post({ title: "Hello" }, `${apiToken.token.slice(0, -1)}`);
  await post({ title: "x", [apiToken.token]: 1 }, apiToken.token);
  const report = (credential: string) =>
    fetch(`${server.url}/api/ingest`, {
      method: "POST",
      headers: { authorization: `Bearer ${credential}`, "content-type": `multipart/form-data; boundary=${boundary}` },
      body: form([envelope({ title: "First" })]),
    });
  const stored = (await (await report(sdkKey.key)).json()) as { eventId: string };
  await report(apiToken.token);

  const { body } = await call(target, "GET", "/internal/arrivals", { cookie });
  const arrivals = body["items"] as RecentRequest[];
  expect(arrivals.map(({ api, status, cause, made }) => [api, status, cause ?? made ?? ""])).toEqual([
    ["reports", 401, "This is an API token; reports need an SDK key."],
    ["reports", 200, stored.eventId],
    ["tickets", 400, expect.stringContaining("/itk_…")],
    ["tickets", 401, "It looks like an API token, but it is cut off or mistyped."],
    ["tickets", 401, "There is no Authorization header. Send an API token as Bearer."],
    ["tickets", 401, "This is an SDK key; tickets need an API token."],
    ["tickets", 400, expect.stringMatching(/^\/\w+ .*\/tilte /)],
    ["tickets", 201, String(ticket.body["id"])],
  ]);
  expect(JSON.stringify(arrivals)).not.toContain(apiToken.token.slice(4));
  expect(JSON.stringify(arrivals)).not.toContain(sdkKey.key.slice(4));
}, 180_000);

test("of two who set up at once, one does; the other one reads why not", async () => {
  const { secret, target } = await fresh();
  const tries = await Promise.all(
    [1, 2].map((i) =>
      call(target, "POST", "/internal/setup", { body: { ...given, secret, email: `person-${i}@example.org` } }),
    ),
  );
  expect(tries.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(tries.filter(({ headers }) => headers.has("set-cookie")).length).toBe(1);
  const late = await call(target, "POST", "/internal/setup", { body: { ...given, secret } });
  expect(late).toMatchObject({
    status: 403,
    body: { message: "Setup links work once and for 30 minutes. Restart `intake serve` to print a new one." },
  });
}, 180_000);

test("a public URL from the command line is not chosen by the page; a bad one, or a bad password, makes nothing", async () => {
  const { secret, target } = await fresh(["--public-url", "https://intake.example.org"]);
  expect((await call(target, "GET", "/internal/setup")).body).toMatchObject({
    publicUrl: "https://intake.example.org",
  });
  for (const bad of [
    { password: "password1234" },
    { password: given.email },
    { email: "ada" },
    { organisation: " " },
  ]) {
    const refused = await call(target, "POST", "/internal/setup", { body: { ...given, secret, ...bad } });
    expect([bad, refused.status]).toEqual([bad, 400]);
  }
  const other = await fresh();
  const body = { ...given, secret: other.secret, publicUrl: "javascript:alert(1)" };
  expect((await call(other.target, "POST", "/internal/setup", { body })).status).toBe(400);
  const below = { ...given, secret: other.secret, publicUrl: "https://example.org/intake" };
  expect((await call(other.target, "POST", "/internal/setup", { body: below })).body).toMatchObject({
    error: "invalid_input",
    message: expect.stringContaining("must have no path: Intake serves its pages at the root of a host"),
  });
  expect((await call(target, "GET", "/internal/setup")).body).toMatchObject({ state: "open" });
}, 180_000);
