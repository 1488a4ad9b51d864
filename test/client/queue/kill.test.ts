import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stats } from "@intake/client/ingest";
import { readRecordName } from "../../../client/src/reports/queue-store.ts";
import { newSdkKey } from "../../support/ingest.ts";
import { describeTargets, type Target } from "../../support/targets.ts";
import { type Fault, faultyWay } from "./faulty-way.ts";
import { prepareScripts, type Scripts } from "./process.ts";
import { storedEnvelopes } from "./stored.ts";

// What hangs is found; a slow machine is no failure.
setDefaultTimeout(600_000);

let scripts: Scripts;
beforeAll(async () => {
  scripts = await prepareScripts();
}, 600_000);
afterAll(() => scripts.remove());

describeTargets("reports in a folder", suite, ["compiled binary"], { rateLimits: false });

const rounds = 24;
/** Reports that a process captures before it is killed, at most: a busy machine kills it late. */
const capturedMax = 20;

function suite(target: () => Target) {
  async function prepare(faults: Fault[] = []) {
    const { installation, url } = target();
    const { key } = await newSdkKey(installation);
    const way = await faultyWay(url, faults);
    const folder = join(scripts.folder, crypto.randomUUID());
    // A process that is killed very early has not made it yet.
    const names = () => (existsSync(folder) ? readdirSync(folder) : []);
    const kept = () => names().flatMap((name) => readRecordName(name)?.reportId ?? []);
    return { key, way, folder, names, kept, task: { url: way.url, key, folder } };
  }

  async function storedIds(): Promise<string[]> {
    return (await storedEnvelopes(target().installation)).map(({ reportId }) => reportId);
  }

  /** After a kill nothing is half-done: every report that was stored becomes one event after the next start. */
  test.each([
    ["small ones, between tries", 0],
    ["large ones, in the middle of being written", 3_000_000],
  ])(
    `are each one event, however often their process is killed: ${"%s"}`,
    async (_, bytes) => {
      for (let round = 0; round < rounds; round++) {
        const lost: Fault[] = ["lose", { status: 503 }, "reset", "cut"];
        const { task, way, folder, names, kept } = await prepare(
          round % 2 ? ["pass", ...lost] : Array(200).fill("stall"),
        );
        const doomed = scripts.start("Node 24", { ...task, act: "go on", count: capturedMax, bytes });
        await doomed.saying(1 + (round % 6));
        if (round % 3 === 0) await way.arrived(1 + (round % 2));
        await doomed.kill();
        const ids = kept();
        for (const name of names()) {
          const text = name + readFileSync(join(folder, name)).subarray(0, 20_000).toString("latin1");
          expect(text).not.toMatch(/i[st]k_/);
        }

        way.faults.length = 0;
        const heir = scripts.start("Node 24", { ...task, act: "deliver", count: 0 });
        expect(await heir.exited).toBe(0);
        const stats = heir.said.at(-1) as Stats;
        expect(stats).toMatchObject({ captured: ids.length, sent: ids.length, queued: 0, dropped: {} });
        const stored = await storedIds();
        expect(new Set(stored).size).toBe(stored.length);
        for (const id of ids) expect(stored).toContain(id);
        expect(names()).toEqual([]);
        way.close();
      }
    },
    600_000,
  );

  test("are sent by one of two processes, and by the other when that one is killed", async () => {
    const { task, way, folder } = await prepare(["stall"]);
    const first = scripts.start("Node 24", { ...task, act: "deliver", count: 3 });
    await first.saying(3);
    await way.arrived(1);
    const second = scripts.start("Node 20", { ...task, act: "deliver", count: 3 });
    await second.saying(3);
    // After checking three times it has still sent nothing.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(way.arrivals.length).toBe(1);
    await first.kill();
    expect(await second.exited).toBe(0);
    const ids = [...first.said, ...second.said].filter((one) => typeof one === "string");
    expect(way.arrivals.slice(1).map(({ envelope }) => envelope.reportId)).toEqual(ids);
    expect((await storedIds()).filter((id) => ids.includes(id))).toEqual(ids);
    expect(readdirSync(folder)).toEqual([]);
    way.close();
  });

  test("are sent once, however many processes there are", async () => {
    const { task, way, folder } = await prepare([{ status: 503 }, "lose"]);
    const all = (["Node 20", "Node 24", "Bun", "Deno"] as const).map((runtime) =>
      scripts.start(runtime, { ...task, act: "deliver", count: 5 }),
    );
    for (const { exited } of all) expect(await exited).toBe(0);
    const ids = all.flatMap(({ said }) => said.filter((one) => typeof one === "string"));
    expect(ids.length).toBe(20);
    const stored = (await storedIds()).filter((id) => ids.includes(id));
    expect(stored.toSorted()).toEqual(ids.toSorted());
    for (const { said } of all) {
      const { captured, sent, queued, dropped } = said.at(-1) as Stats;
      expect([captured - sent, queued, dropped]).toEqual([0, 0, {}]);
    }
    expect(readdirSync(folder)).toEqual([]);
    way.close();
  });
}
