import { expect, test } from "bun:test";
import { installS3Server } from "../s3-server/install.ts";
import { finished } from "../support/binary.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { startBalancer } from "./balancer.ts";
import { root } from "./steps.ts";

test("the quick start on PostgreSQL ends with one ticket of two processes, and one report", async () => {
  installS3Server();
  const { folder } = await sharedPostgres();
  const child = Bun.spawn([process.execPath, "run", "quickstart", "--postgres", "--once"], {
    cwd: root,
    env: { ...process.env, INTAKE_TEST_POSTGRES: folder },
    stdout: "pipe",
    stderr: "pipe",
  });
  const { code, stdout, stderr } = await finished(child);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("two processes, one ticket, the same bytes");
  expect(stdout).toContain("two submissions, one report");
}, 300_000);

test("the balancer asks each process in turn, and another one for what cannot be sent to a process", async () => {
  const servers = ["one", "other"].map((name) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) =>
        new Response(`${name} ${request.headers.get("x-forwarded-for")} ${await request.text()}`),
    }),
  );
  const balancer = startBalancer({ port: 0 });
  balancer.processes.push(...servers.map(({ port }) => `http://127.0.0.1:${port}`));
  const send = async () => (await fetch(balancer.url, { method: "POST", body: "body" })).text();
  expect([await send(), await send(), await send()]).toEqual(
    ["one", "other", "one"].map((name) => `${name} 127.0.0.1 body`),
  );
  await servers[1]?.stop(true);
  expect([await send(), await send()]).toEqual(["one", "one"].map((name) => `${name} 127.0.0.1 body`));
  await servers[0]?.stop(true);
  expect((await fetch(balancer.url)).status).toBe(503);
  await balancer.stop();
});
