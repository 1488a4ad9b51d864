import { expect, test } from "bun:test";
import type { DropReason, IngestOptions, Report } from "@intake/client/ingest";
import { describeTargets, type Target } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { type ClientBehind, clientBehind } from "./client-behind.ts";
import type { Fault } from "./faulty-way.ts";
import { memoryStore } from "./memory-store.ts";
import { storedEnvelopes } from "./stored.ts";
import { settled } from "./watched.ts";

describeTargets("a report that is lost", suite, ["compiled binary"], { rateLimits: false });

function suite(target: () => Target) {
  const clientWith = (faults?: Fault[], options?: Partial<IngestOptions>) => clientBehind(target(), faults, options);

  /** Captures a report that is lost, then one that arrives and carries the count of the lost one. */
  async function expectTold(client: ClientBehind, lost: () => string | string[], reason: DropReason) {
    const { reports, drops, violations, way } = client;
    const ids = [lost()].flat();
    const next = reports.capture({ title: "tells of it" });
    await settled(reports);
    const last = reports.capture({ title: "tells of it too" });
    expect(await reports.flush()).toBe(true);
    for (const id of ids) expect(drops.get(id)).toBe(reason);
    expect(reports.stats()).toMatchObject({ sent: 2, queued: 0, dropped: { [reason]: ids.length } });
    expect(violations).toEqual([]);
    const envelopes = await storedEnvelopes(target().installation);
    const told = [next, last].map(
      (id) => envelopes.find(({ reportId }) => reportId === id)?.clientReport?.dropped[reason],
    );
    expect(told.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(ids.length);
    expect(envelopes.filter(({ reportId }) => ids.includes(reportId))).toEqual([]);
    way.close();
  }

  const throwing = {
    get title(): string {
      throw new Error("getter");
    },
  };
  const cycle: Report = {};
  cycle["self"] = cycle;
  const unserialisable: Record<string, unknown> = {
    "a cycle": cycle,
    "a BigInt": { count: 1n },
    "a getter that throws": throwing,
    "a toJSON that throws": {
      toJSON() {
        throw new Error("toJSON");
      },
    },
    "a symbol that is thrown": {
      toJSON() {
        throw Symbol("why");
      },
    },
    "no object": "text",
  };
  test.each(Object.entries(unserialisable))("because it is no JSON is told of: %s", async (_, report) => {
    const client = await clientWith();
    await expectTold(client, () => client.reports.capture(report as Report), "unserialisable");
  });

  test("because its envelope is too large is told of", async () => {
    const client = await clientWith();
    const message = "x".repeat(6_000_000);
    await expectTold(client, () => client.reports.capture({ message }), "too_large");
  });

  test('because an attachment is too large is told of, with onTooLarge "error"', async () => {
    const client = await clientWith([], { onTooLarge: "error" });
    const data = new Uint8Array(27_000_000);
    await expectTold(client, () => client.reports.capture({}, { attachments: [{ filename: "a", data }] }), "too_large");
  });

  test("because beforeSend drops it is told of", async () => {
    const client = await clientWith([], { beforeSend: (report) => (report.type === "private" ? null : report) });
    await expectTold(client, () => client.reports.capture({ type: "private" }), "before_send");
  });

  test("because beforeSend throws is told of", async () => {
    const beforeSend = (report: Report) => {
      if (report.type === "odd") throw Symbol("hook");
      return report;
    };
    const client = await clientWith([], { beforeSend });
    await expectTold(client, () => client.reports.capture({ type: "odd" }), "before_send_threw");
  });

  test("because beforeSend never answers is told of, and holds up the others for its time only", async () => {
    const beforeSend = (report: Report) => (report.type === "odd" ? new Promise<null>(() => {}) : report);
    const client = await clientWith([], { beforeSend, timeoutMs: 1_500 });
    await expectTold(client, () => client.reports.capture({ type: "odd" }), "before_send_threw");
  });

  test.each([400, 401, 403, 404, 413, 415])(
    "because it is refused with %p is told of, and holds up nobody",
    async (status) => {
      const client = await clientWith([{ status }]);
      await expectTold(client, () => client.reports.capture({ title: "refused" }), "refused");
      expect(client.way.arrivals.map(({ envelope }) => envelope.title)).toEqual([
        "refused",
        "tells of it",
        "tells of it too",
      ]);
    },
  );

  test("because the queue is full by count is told of", async () => {
    const client = await clientWith([{ status: 503 }], { queue: { maxReports: 3 } });
    for (const title of ["1", "2", "3"]) client.reports.capture({ title });
    const lost = ["4", "5"].map((title) => client.reports.capture({ title }));
    expect(client.reports.stats()).toMatchObject({ queued: 3, dropped: { queue_full: 2 } });
    await settled(client.reports);
    client.reports.capture({ title: "tells of it" });
    expect(await client.reports.flush()).toBe(true);
    expect(lost.map((id) => client.drops.get(id))).toEqual(["queue_full", "queue_full"]);
    expect(client.way.arrivals.at(-1)?.envelope.clientReport).toEqual({ dropped: { queue_full: 2 } });
    client.way.close();
  });

  test("because the queue is full by bytes is told of", async () => {
    const client = await clientWith(["stall"], { queue: { maxBytes: 10_000 } });
    const attachments = [{ filename: "a", data: crypto.getRandomValues(new Uint8Array(6_000)) }] as const;
    client.reports.capture({ title: "1" }, { attachments });
    await client.way.arrived(1);
    const lost = client.reports.capture({ title: "2" }, { attachments });
    const small = client.reports.capture({ title: "3" });
    await until(() => client.drops.size > 0 || undefined);
    await client.way.answer(0, { status: 503 });
    await settled(client.reports);
    expect([client.drops.get(lost), client.drops.get(small)]).toEqual(["queue_full", undefined]);
    client.reports.capture({ title: "tells of it" });
    expect(await client.reports.flush()).toBe(true);
    const told = client.way.arrivals.flatMap(({ envelope }) => envelope.clientReport?.dropped["queue_full"] ?? []);
    expect(told).toEqual([1]);
    expect(client.violations).toEqual([]);
    client.way.close();
  });

  test("because it waited too long is told of", async () => {
    // Old enough only after the wait, also where the first request is late.
    const client = await clientWith([{ status: 429, retryAfter: "6" }], { queue: { maxAgeMs: 5_000 } });
    const lost = client.reports.capture({ title: "old" });
    expect(await client.reports.flush(60_000)).toBe(false);
    expect(client.drops.get(lost)).toBe("too_old");
    client.reports.capture({ title: "tells of it" });
    expect(await client.reports.flush()).toBe(true);
    expect(client.way.arrivals.map(({ envelope }) => envelope.clientReport)).toEqual([
      undefined,
      { dropped: { too_old: 1 } },
    ]);
    client.way.close();
  });

  test("because the client is closed is counted", async () => {
    const client = await clientWith();
    expect(await client.reports.close()).toBe(true);
    const lost = client.reports.capture({ title: "late" });
    const error = await client.reports.submit({ title: "late" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "DroppedError", reason: "closed" });
    expect(await client.reports.flush()).toBe(true);
    expect(client.drops.get(lost)).toBe("closed");
    expect(client.reports.stats()).toEqual({ captured: 2, sent: 0, duplicates: 0, queued: 0, dropped: { closed: 2 } });
    expect(client.way.arrivals).toEqual([]);
    client.way.close();
  });

  test("because its record is gone or cut is told of by the next client, and holds up nobody", async () => {
    const store = memoryStore();
    const dead = await clientWith(Array<Fault>(20).fill({ status: 503 }), { store });
    const ids = ["1", "2", "3"].map((title) => dead.reports.capture({ title }));
    await until(() => store.records.size === 3 || undefined);
    expect(await dead.reports.close(50)).toBe(false);
    dead.way.close();
    const nameOf = (index: number) => [...store.records.keys()].find((name) => name.endsWith(ids[index] ?? "?")) ?? "";
    store.records.set(nameOf(0), new Uint8Array());
    const read = store.read;
    store.read = async (name) => (name === nameOf(1) ? undefined : read(name));

    const { reports, drops, way } = await clientWith([], { store });
    expect(await reports.flush()).toBe(false);
    reports.capture({ title: "tells of it" });
    expect(await reports.flush()).toBe(true);
    expect(ids.map((id) => drops.get(id))).toEqual(["storage", "storage", undefined]);
    expect(way.arrivals.map(({ envelope }) => envelope.title)).toEqual(["3", "tells of it"]);
    expect(way.arrivals[1]?.envelope.clientReport).toEqual({ dropped: { storage: 2 } });
    expect(store.records.size).toBe(0);
    way.close();
  });

  test("tells of what it was to tell of by the next one", async () => {
    const { way, reports } = await clientWith([{ status: 400 }, { status: 400 }, { status: 400 }]);
    for (const title of ["1", "2", "3"]) {
      reports.capture({ title });
      await reports.flush();
    }
    reports.capture({ title: "4" });
    await reports.flush();
    expect(way.arrivals.map(({ envelope }) => envelope.clientReport?.dropped["refused"] ?? 0)).toEqual([0, 1, 2, 3]);
    way.close();
  });

  test("by submit counts like one by capture", async () => {
    const { way, reports } = await clientWith([{ status: 400 }], {
      beforeSend: (report) => (report.type ? null : report),
    });
    await reports.submit({ title: "refused" }).catch(() => {});
    await reports.submit({ type: "private" }).catch(() => {});
    const receipt = await reports.submit({ title: "tells of both" });
    expect(receipt.status).toBe("received");
    expect(reports.stats()).toEqual({
      captured: 3,
      sent: 1,
      duplicates: 0,
      queued: 0,
      dropped: { refused: 1, before_send: 1 },
    });
    expect(way.arrivals.at(-1)?.envelope.clientReport).toEqual({ dropped: { refused: 1, before_send: 1 } });
    way.close();
  });
}
