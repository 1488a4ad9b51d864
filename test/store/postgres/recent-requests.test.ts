import "../../support/on-postgres.ts";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { RecentRequest } from "../../../server/live/recent-requests.ts";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { databases } from "../../support/databases.ts";
import { type Installation, install } from "../../support/installation.ts";
import { signIn } from "../../support/sign-in.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(180_000);

let installation: Installation;
let other: string;
let servers: RunningBinary[];
let cookie: string;

beforeAll(async () => {
  installation = await install();
  cookie = (await signIn({ installation }, "admin")).cookie;
  // The first one makes the key that secrets are sealed with.
  servers = [await serve(installation.folder)];
  other = temporaryFolder();
  databases.set(other, installation.databaseUrl ?? "");
  copyFileSync(join(installation.folder, "secret.key"), join(other, "secret.key"));
  servers.push(await serve(other));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await installation.remove();
  rmSync(other, { recursive: true });
});

const urlOf = (server: number) => servers[server]?.url ?? "";

async function newest(server: number): Promise<RecentRequest[]> {
  const response = await fetch(`${urlOf(server)}/internal/arrivals`, { headers: { cookie } });
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: RecentRequest[] }).items;
}

/** A ticket request with a token that nobody has. */
async function refused(server: number, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  await fetch(`${urlOf(server)}/api/v1/tickets`, { method: "POST", headers, body: "{}" });
}

test("an admin sees requests arrive at every process, those from before too, without their credentials", async () => {
  const token = `itk_${"a".repeat(43)}`;
  await refused(1, "nonsense");
  expect((await newest(0)).filter(({ api }) => api === "tickets")).toEqual([]);
  const leaving = new AbortController();
  const told = heard(await fetch(`${urlOf(0)}/internal/live`, { headers: { cookie }, signal: leaving.signal }));
  expect(await until(async () => ((await newest(0)).length === 1 ? await newest(0) : undefined))).toMatchObject([
    { status: 401, code: "invalid_api_token", cause: expect.stringContaining("begin with itk_") },
  ]);
  await refused(0, token);
  await refused(1, token);
  await until(() => told().includes("arrival") || undefined);
  const all = await until(async () => ((await newest(0)).length === 3 ? await newest(0) : undefined));
  expect(JSON.stringify(all)).not.toContain(token);
  expect(new Set(all.map(({ id }) => id)).size).toBe(3);
  expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).sort((one, other) => (one < other ? 1 : -1)));
  leaving.abort();
  // Of a process that is gone nothing is shown.
  await servers[1]?.stop();
  await until(async () => (await newest(0)).length === 1 || undefined);
});

/** What a stream of events has said until now. */
function heard(response: Response): () => string {
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  })().catch(() => {});
  return () => text;
}
