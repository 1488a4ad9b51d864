import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ReportList } from "../../../server/reports/list-reports.ts";
import { type RunningBinary, serve } from "../../support/binary.ts";
import { envelope, received } from "../../support/ingest.ts";
import { type Installation, install } from "../../support/installation.ts";
import { signIn } from "../../support/sign-in.ts";
import { until } from "../../support/until.ts";
import { read } from "./pages.ts";

let installation: Installation;
let server: RunningBinary;
const start = () => serve(installation.folder, ["--rate-limits", "off"]);
const target = () => ({ send: (path: string, init?: RequestInit) => fetch(server.url + path, init) });

beforeAll(async () => {
  installation = await install();
  server = await start();
}, 180_000);
afterAll(async () => {
  await server.stop();
  await installation.remove();
});

test("what a killed server has not indexed is indexed by the next one, each report once", async () => {
  const { key } = installation.made.sdkKey;
  const { cookie } = await signIn({ installation }, "member");
  const count = 400;
  const send = (i: number) =>
    received(target(), {
      key,
      parts: [envelope({ reportId: crypto.randomUUID(), title: `needle ${i}`, level: "info" })],
    });
  for (let i = 0; i < count; i += 20) await Promise.all(Array.from({ length: 20 }, (_, j) => send(i + j)));
  await server.stop("SIGKILL");
  const behind = await installation.ctx.store.all<{ count: number }>(
    "select (select count(*) from event) - (select count(*) from report_number) as count",
  );
  expect(behind[0]?.count).toBeGreaterThan(0);

  server = await start();
  const found = async (query: string) => {
    const ids: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path = `/internal/projects/${installation.made.project.id}/reports?limit=200&q=${query}`;
      const page: ReportList = await read(target(), cookie, path + (cursor && `&cursor=${cursor}`));
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    return ids;
  };
  // Filters find a report before it is in the index.
  expect(new Set(await found("level:info")).size).toBe(count);
  const ids = await until(async () => {
    const all = await found("needle");
    return all.length >= count ? all : undefined;
  });
  expect(ids).toHaveLength(count);
  expect(new Set(ids).size).toBe(count);
}, 180_000);
