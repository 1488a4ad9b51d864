import { expect, test } from "bun:test";
import type { IngestOptions, QueueStore } from "@intake/client/ingest";
import type { PersistentStore } from "@intake/client/stores";
import { inTime } from "../../support/in-time.ts";
import { describeTargets, type Target } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { clientBehind } from "./client-behind.ts";
import type { Fault } from "./faulty-way.ts";
import { memoryStore } from "./memory-store.ts";
import { storedEnvelopes } from "./stored.ts";
import { settled } from "./watched.ts";

type Method = keyof QueueStore;
const methods: Method[] = ["names", "read", "write", "remove", "exclusive"];

describeTargets("a store", suite, ["compiled binary"], { rateLimits: false });

function suite(target: () => Target) {
  const clientWith = (faults?: Fault[], options?: Partial<IngestOptions>) => clientBehind(target(), faults, options);

  /** Three reports, the second of which is too large for `keepalive`; all have to arrive. */
  async function expectDelivered(store: PersistentStore) {
    const { way, reports, drops, violations } = await clientWith([{ status: 503 }], { store });
    const data = crypto.getRandomValues(new Uint8Array(65_536));
    const ids = [{}, { attachments: [{ filename: "large", data }] as const }, {}].map((more) =>
      reports.capture({ title: "kept" }, more),
    );
    await settled(reports);
    expect(drops.size).toBe(0);
    expect(reports.stats()).toMatchObject({ captured: 3, sent: 3 });
    const stored = (await storedEnvelopes(target().installation)).map(({ reportId }) => reportId);
    expect(stored.filter((id) => ids.includes(id))).toEqual(ids);
    expect(violations).toEqual([]);
    way.close();
  }

  const failures: Record<string, () => never> = {
    "rejects with an error": () => {
      throw new Error("quota");
    },
    "rejects with nothing": () => {
      throw undefined;
    },
    "rejects with a symbol": () => {
      throw Symbol("why");
    },
  };
  for (const [how, fail] of Object.entries(failures)) {
    test.each(methods)(`whose %s ${how} costs no report`, async (method) => {
      await expectDelivered({ ...memoryStore(), [method]: async () => fail() });
    });
  }

  test.each(methods)("whose %s throws before it gives a promise costs no report", async (method) => {
    const throws = () => {
      throw new Error("denied");
    };
    await expectDelivered({ ...memoryStore(), [method]: throws });
  });

  test.each(methods)("whose %s never answers costs no report and holds up no flush", async (method) => {
    const { way, reports } = await clientWith([], {
      store: { ...memoryStore(), [method]: () => new Promise<never>(() => {}) },
      timeoutMs: 500,
    });
    const id = reports.capture({ title: "1" });
    await inTime(450, reports.flush(200));
    await settled(reports);
    // A busy server may answer too late for the short limit, and the report is then sent again.
    const stored = await storedEnvelopes(target().installation);
    expect(stored.filter(({ reportId }) => reportId === id).map(({ title }) => title)).toEqual(["1"]);
    expect(reports.stats()).toMatchObject({ captured: 1, sent: 1, queued: 0 });
    way.close();
  });

  test("that gives windows of a larger buffer, as Node's do, sends what was kept and nothing around it", async () => {
    const store = memoryStore();
    const dead = await clientWith(Array<Fault>(20).fill({ status: 503 }), { store });
    const id = dead.reports.capture({ title: "kept" }, { attachments: [{ filename: "a", data: "x" }] });
    await until(() => dead.way.arrivals.length > 0 || undefined);
    await dead.reports.close(100);
    dead.way.close();
    const read = store.read;
    store.read = async (name) => {
      const bytes = (await read(name)) ?? new Uint8Array();
      const around = Buffer.alloc(bytes.length + 2_000, "secret ");
      around.set(bytes, 1_000);
      return around.subarray(1_000, 1_000 + bytes.length);
    };
    const { way, reports } = await clientWith([], { store });
    expect(await reports.flush()).toBe(true);
    expect(way.arrivals.map(({ envelope, bytes }) => [envelope.reportId, bytes])).toEqual([
      [id, dead.way.arrivals[0]?.bytes ?? 0],
    ]);
    way.close();
  });

  test("that forgets nothing makes no second event, and nobody goes round in circles", async () => {
    const store = { ...memoryStore(), remove: async () => {} };
    const { way, reports } = await clientWith([], { store });
    const id = reports.capture({ title: "1" });
    expect(await reports.flush()).toBe(true);
    reports.capture({ title: "2" });
    expect(await reports.flush()).toBe(true);
    expect(way.arrivals.map(({ envelope }) => envelope.title)).toEqual(["1", "2"]);
    expect(reports.stats()).toMatchObject({ captured: 2, sent: 2 });
    way.close();

    const next = await clientWith([], { store });
    expect(await next.reports.flush()).toBe(true);
    expect(next.reports.stats()).toMatchObject({ captured: 2, sent: 2, duplicates: 2 });
    next.way.close();
    const stored = (await storedEnvelopes(target().installation)).filter(({ reportId }) => reportId === id);
    expect(stored.length).toBe(1);
  });

  test("that somebody empties costs no report of the client that is still there", async () => {
    const store = memoryStore();
    const { way, reports } = await clientWith([{ status: 429, retryAfter: "1" }], { store });
    const id = reports.capture({ title: "kept" });
    expect(await reports.flush(200)).toBe(false);
    store.records.clear();
    await settled(reports);
    const stored = (await storedEnvelopes(target().installation)).map(({ reportId }) => reportId);
    expect(stored).toContain(id);
    way.close();
  });

  test("of an earlier life is sent first, in order of capture, and what it keeps holds no credential", async () => {
    const store = memoryStore();
    const dead = await clientWith(Array<Fault>(20).fill({ status: 503 }), { store });
    const titles = Array.from({ length: 12 }, (_, index) => `${index}`);
    for (const title of titles) dead.reports.capture({ title }, { attachments: [{ filename: "a", data: title }] });
    await until(() => store.records.size === titles.length || undefined);
    await dead.reports.close(100);
    dead.way.close();
    const kept = [...store.records].map(([name, bytes]) => name + Buffer.from(bytes).toString("latin1")).join();
    expect(kept).not.toMatch(/i[st]k_/);

    const shuffled = [...store.records].toSorted(([, a], [, b]) => Bun.hash.crc32(a) - Bun.hash.crc32(b));
    store.records.clear();
    for (const [name, bytes] of shuffled) store.records.set(name, bytes);
    const { way, reports } = await clientWith([], { store });
    reports.capture({ title: "of this life" });
    expect(await reports.flush()).toBe(true);
    expect(way.arrivals.map(({ envelope }) => envelope.title)).toEqual([...titles, "of this life"]);
    expect(reports.stats()).toMatchObject({ captured: 13, sent: 13 });
    way.close();
  });
}
