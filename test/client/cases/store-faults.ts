import { persistent, type QueueStore } from "@intake/client/stores";
import { accept, step } from "../fault-script.ts";
import { equal } from "./check.ts";
import type { Case } from "./env.ts";
import { envelopeOf } from "./form.ts";
import { balanced, faultyReports, sleep, until } from "./kit.ts";
import { memoryStore } from "./memory-store.ts";
import { keepsSecrets } from "./secrets.ts";

const fails = async (): Promise<never> => {
  throw new Error("quota");
};

export const storeFaults: Case[] = [
  [
    "a report in a store outlives its client, and goes with the same id and bytes",
    async (env) => {
      const store = memoryStore();
      const dead = await faultyReports(env, [step()], { store });
      const id = dead.reports.capture({ title: "kept" }, { attachments: [{ filename: "a", data: "x" }] });
      await until(dead, ({ requests }) => requests[0]?.body !== undefined && requests[0].body !== "");
      equal(await dead.reports.flush(50), false, "flush");
      equal(await dead.reports.close(10), false, "close");
      equal(store.records.size, 1, "records");
      for (const [name, bytes] of store.records) {
        keepsSecrets([name, String.fromCharCode(...bytes)], "the store");
      }
      const [before] = (await dead.record()).requests;

      const { reports, record } = await faultyReports(env, [accept], { store });
      equal(await reports.flush(60_000), true, "flush of the next client");
      equal(reports.stats(), { captured: 1, sent: 1, duplicates: 0, queued: 0, dropped: {} }, "stats");
      equal(store.records.size, 0, "records left");
      const [after] = (await record()).requests;
      equal([after?.body, after && (await envelopeOf(after)).reportId], [before?.body, id], "body, reportId");
    },
  ],
  [
    "a record leaves the store only once its report is answered",
    async (env) => {
      const store = memoryStore();
      const slowly = step({ do: "wait", ms: 1_000 }, { do: "accept" });
      const { reports, ...faults } = await faultyReports(env, [slowly], { store });
      reports.capture({ title: "kept" });
      await until(faults, ({ requests }) => requests.length === 1);
      equal(store.records.size, 1, "records while it is under way");
      equal(await reports.flush(60_000), true, "flush");
      equal(store.records.size, 0, "records");
    },
  ],
  [
    "a store that fails in every way costs no report",
    async (env) => {
      const own: QueueStore = { names: fails, read: fails, write: fails, remove: fails, exclusive: fails };
      const store = persistent(own);
      const { reports, record } = await faultyReports(env, [accept], { store });
      reports.capture({ title: "1" });
      reports.capture({ title: "2" }, { attachments: [{ filename: "a", data: new Uint8Array(100_000) }] });
      equal(await reports.flush(60_000), true, "flush");
      equal((await record()).stored, 2, "events");
    },
  ],
  [
    "a record that is damaged, cut or gone is dropped and holds up nobody",
    async (env) => {
      const store = memoryStore();
      const dead = await faultyReports(env, [step()], { store });
      for (const title of ["1", "2", "3", "4"]) dead.reports.capture({ title });
      while (store.records.size < 4) await sleep(5);
      await dead.reports.close(10);
      const [first = "", second = "", third = ""] = [...store.records.keys()].sort();
      store.records.set(first, new Uint8Array());
      store.records.set(second, (store.records.get(second) ?? new Uint8Array()).slice(0, 20));
      store.records.set("not one of ours", Uint8Array.of(1));
      const read = store.read;
      store.read = async (name) => (name === third ? undefined : read(name));

      const { reports, record } = await faultyReports(env, [accept], { store });
      await reports.flush(60_000);
      balanced(reports.stats());
      const { sent, queued, dropped } = reports.stats();
      equal([sent, queued], [1, 0], "sent, queued");
      equal(
        Object.values(dropped).reduce((sum, count) => sum + count, 0),
        3,
        "dropped",
      );
      equal([...store.records.keys()], ["not one of ours"], "records left");
      const last = (await record()).requests.at(-1);
      equal(last && (await envelopeOf(last)).title, "4", "the one that was whole");
    },
  ],
];
