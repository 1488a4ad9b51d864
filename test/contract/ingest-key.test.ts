import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { archiveProject } from "../../server/boards/archive.ts";
import { createProject } from "../../server/boards/create-project.ts";
import { deleteProject } from "../../server/boards/delete-project.ts";
import { setSetting } from "../../server/core/settings.ts";
import { changeKey } from "../../server/credentials/change-key.ts";
import { type RunningBinary, serve } from "../support/binary.ts";
import {
  attachment,
  boundary,
  envelope,
  eventCount,
  eventTools,
  form,
  newSdkKey,
  received,
  shown,
  submit,
} from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { keptIds } from "../support/kept-files.ts";
import { RawRequest } from "../support/raw-request.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { until } from "../support/until.ts";

describeTargets(
  "a key that changes while a report comes in",
  (target) => {
    const refused = { status: 401, body: { error: "invalid_sdk_key" } };
    type Key = { id: string; projectId: string };
    const cases: [string, (installation: Installation, key: Key) => Promise<unknown>][] = [
      ["revoked", ({ ctx }, { id }) => changeKey({ ctx, input: { id, change: "revoke" } })],
      ["gone with its archived project", ({ ctx }, key) => archiveProject({ ctx, input: { id: key.projectId } })],
      [
        "gone with its deleted project",
        (installation, key) =>
          deleteProject({ ctx: installation.ctx, tools: eventTools(installation), input: { id: key.projectId } }),
      ],
    ];
    const { status, body } = refused;
    for (const [name, change] of cases) {
      test(`is ${name}: ${status}, nothing is stored and no file is left`, async () => {
        const { installation } = target();
        const upload = await half(target());
        await change(installation, upload);
        const response = await upload.finish();
        expect([response.status, await response.json()]).toEqual([status, body]);
        expect(response.headers.get("www-authenticate")).toBe("Bearer");
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
        expect(response.headers.has("ratelimit")).toBe(false);
        await expectNothing(installation, upload);
      });
    }

    test("is paused: 429 and come back in an hour, nothing is stored and no file is left", async () => {
      const { installation } = target();
      const { ctx } = installation;
      const upload = await half(target());
      await changeKey({ ctx, input: { id: upload.id, change: "pause" } });
      const response = await upload.finish();
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "3600"]);
      expect(await response.json()).toMatchObject({ error: "rate_limit_exceeded" });
      await expectNothing(installation, upload);
    });

    test("is paused and resumed: the report is taken", async () => {
      const { ctx } = target().installation;
      const upload = await half(target());
      await changeKey({ ctx, input: { id: upload.id, change: "pause" } });
      expect((await submit(target(), { key: upload.key })).status).toBe(429);
      await changeKey({ ctx, input: { id: upload.id, change: "resume" } });
      expect((await upload.finish()).status).toBe(200);
    });

    test("another key is revoked: the report is taken", async () => {
      const { installation } = target();
      const upload = await half(target());
      const other = await newSdkKey(installation, { projectId: upload.projectId });
      await changeKey({ ctx: installation.ctx, input: { id: other.id, change: "revoke" } });
      expect((await upload.finish()).status).toBe(200);
    });
  },
  ["over loopback", "compiled binary"],
);

describeTargets("the sender's address", (target) => {
  for (const [mode, kept] of [
    ["cut", "127.0.0.0"],
    ["full", "127.0.0.1"],
    ["off", null],
  ] as const) {
    test(`is kept as the setting says: ${mode}; a header of anybody's changes nothing`, async () => {
      const { installation } = target();
      const { ctx } = installation;
      const { key } = await newSdkKey(installation);
      await setSetting({ ctx, input: { name: "source_ip", value: mode } });
      try {
        for (const headers of [
          {},
          { "x-forwarded-for": "203.0.113.7", forwarded: "for=203.0.113.7", "x-real-ip": "203.0.113.7" },
          { "x-forwarded-for": "nonsense" },
        ]) {
          const { eventId } = await received(target(), { key, headers });
          const { sourceIp } = await shown(installation, eventId);
          // Without a socket there is no address.
          expect(sourceIp).toBe(target().way === "in process" ? null : kept);
        }
      } finally {
        await setSetting({ ctx, input: { name: "source_ip", value: "" } });
      }
    });
  }
});

describe("behind a trusted proxy (compiled binary)", () => {
  let installation: Installation;
  let server: RunningBinary;
  beforeAll(async () => {
    installation = await install();
    const proxies = ["--trusted-proxies", "127.0.0.0/8,10.0.0.0/8", "--trusted-proxies", "2001:db8:ffff::/48"];
    server = await serve(installation.folder, proxies);
  }, 180_000);
  afterAll(async () => {
    await server.stop();
    await installation.remove();
  }, 180_000);
  const send = (path: string, init?: RequestInit) => fetch(server.url + path, init);

  for (const [forwarded, kept] of [
    ["203.0.113.77", "203.0.113.0"],
    ["203.0.113.77:4711", "203.0.113.0"],
    ["198.51.100.9, 203.0.113.77", "203.0.113.0"],
    ["203.0.113.77, 10.1.2.3, 127.0.0.9", "203.0.113.0"],
    ["10.1.2.3", "10.1.2.0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::"],
    ["[2001:db8:1:2::1]", "2001:db8:1::"],
    ["[2001:db8:1:2::1]:443", "2001:db8:1::"],
    ["203.0.113.77, 2001:db8:ffff::1", "203.0.113.0"],
    ["::ffff:203.0.113.77", "203.0.113.0"],
    ["unknown", "127.0.0.0"],
    ["203.0.113.77, unknown", "127.0.0.0"],
    ["unknown, 203.0.113.77", "203.0.113.0"],
    ["203.0.113.77, unknown, 10.1.2.3", "10.1.2.0"],
    ["203.0.113.999", "127.0.0.0"],
    [",,,", "127.0.0.0"],
    ["", "127.0.0.0"],
    [`${"1.1.1.1, ".repeat(500)}203.0.113.77`, "203.0.113.0"],
  ] as const) {
    test(`${forwarded.slice(0, 60)} is from ${kept}`, async () => {
      const { key } = await newSdkKey(installation);
      const { eventId } = await received({ send }, { key, headers: { "x-forwarded-for": forwarded } });
      expect((await shown(installation, eventId)).sourceIp).toBe(kept);
    });
  }

  test("the limit is by address, whatever is written before it, and by /64", async () => {
    const from = async (forwarded: string) =>
      (await submit({ send }, { key: "isk_unknown", headers: { "x-forwarded-for": forwarded } })).status;
    const statuses = (many: number[]) => [
      many.filter((one) => one === 401).length,
      many.filter((one) => one === 429).length,
    ];
    const four = await Promise.all(Array.from({ length: 205 }, (_, i) => from(`192.0.2.${i}, 198.51.100.1`)));
    expect(statuses(four)).toEqual([200, 5]);
    expect(await from("198.51.100.2")).toBe(401);
    expect(await from("::ffff:198.51.100.1")).toBe(429);
    const six = await Promise.all(Array.from({ length: 205 }, (_, i) => from(`2001:db8:5:6:${i.toString(16)}::1`)));
    expect(statuses(six)).toEqual([200, 5]);
    expect(await from("2001:db8:5:7::1")).toBe(401);
  });
});

interface Half {
  id: string;
  key: string;
  projectId: string;
  /** Files that were stored before. */
  kept: string[];
  finish(): Promise<Response>;
}

/** A report of 300 kB of which one half has arrived. */
async function half(to: Target): Promise<Half> {
  const { installation } = to;
  const project = await createProject({ ctx: installation.ctx, input: { name: "Project" } });
  const { id, key } = await newSdkKey(installation, { projectId: project.id });
  const kept = await keptIds(installation.folder);
  const body = form([envelope({ reportId: crypto.randomUUID() }), attachment(new Uint8Array(300_000))]);
  const request = new RawRequest(to, [
    "POST /api/ingest HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${key}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${body.length}`,
  ]);
  void request.send(body.subarray(0, 150_000));
  await until(() => uploadsIn(installation) > 0 || undefined);
  return {
    id,
    key,
    projectId: project.id,
    kept,
    async finish() {
      void request.send(body.subarray(150_000));
      const response = await request.answer();
      request.close();
      return response;
    },
  };
}

async function expectNothing(installation: Installation, { projectId, kept }: Half) {
  const { ctx } = installation;
  if (await ctx.store.one("select id from project where id = $1", [projectId])) {
    expect(await eventCount(installation, projectId)).toBe(0);
  }
  expect(await ctx.store.all("select event_id from receipt where project_id = $1", [projectId])).toEqual([]);
  await until(() => uploadsIn(installation) === 0 || undefined);
  expect(await keptIds(installation.folder)).toEqual(kept);
}

function uploadsIn({ folder }: Installation): number {
  return readdirSync(`${folder}/uploads`).length;
}
