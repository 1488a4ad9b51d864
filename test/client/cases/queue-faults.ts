import { accept, type FaultRecord, html, json, step, write } from "../fault-script.ts";
import { equal, ok, within } from "./check.ts";
import type { Case } from "./env.ts";
import { envelopeOf } from "./form.ts";
import { balanced, faultyReports, inTime, sleep } from "./kit.ts";

async function titles({ requests }: FaultRecord): Promise<(string | undefined)[]> {
  return Promise.all(requests.map(async (request) => (await envelopeOf(request)).title));
}

export const queueFaults: Case[] = [
  [
    "captured reports go one after another, in order",
    async (env) => {
      const slowly = step({ do: "wait", ms: 100 }, { do: "accept" });
      const { reports, record } = await faultyReports(env, [slowly]);
      for (const title of ["1", "2", "3", "4"]) reports.capture({ title });
      equal(await reports.flush(60_000), true, "flush");
      const told = await record();
      equal(await titles(told), ["1", "2", "3", "4"], "order");
      for (const [index, { at }] of told.requests.entries()) {
        if (index > 0) ok(at - (told.requests[index - 1]?.at ?? 0) >= 95, "two at once");
      }
    },
  ],
  [
    "a report that is refused leaves the queue with its reason, and holds up nobody",
    async (env) => {
      const { reports, record } = await faultyReports(env, [step(json(400, { error: "invalid_input" })), accept]);
      for (const title of ["refused", "2", "3"]) reports.capture({ title });
      equal(await reports.flush(60_000), false, "flush, one being dropped");
      equal(reports.stats(), { captured: 3, sent: 2, duplicates: 0, queued: 0, dropped: { refused: 1 } }, "stats");
      reports.capture({ title: "4" });
      equal(await reports.flush(60_000), true, "flush");
      const { requests } = await record();
      equal(requests.length, 4, "requests");
      const last = requests[3] && (await envelopeOf(requests[3]));
      equal(last?.clientReport, { dropped: { refused: 1 } }, "what the next envelope tells");
    },
  ],
  [
    "what a dropped report was to tell of is told by the next",
    async (env) => {
      const refused = step(json(400, { error: "invalid_input" }));
      const { reports, record } = await faultyReports(env, [refused, refused, accept]);
      for (const title of ["1", "2", "3"]) {
        reports.capture({ title });
        await reports.flush(60_000);
      }
      const told = await Promise.all(
        (await record()).requests.map(async (one) => (await envelopeOf(one)).clientReport),
      );
      equal(told, [undefined, { dropped: { refused: 1 } }, { dropped: { refused: 2 } }], "what the envelopes tell");
    },
  ],
  [
    "429 holds the whole queue for its Retry-After, whatever flush says",
    async (env) => {
      const { reports, record } = await faultyReports(env, [step(json(429, {}, { "retry-after": "2" })), accept]);
      reports.capture({ title: "1" });
      reports.capture({ title: "2" });
      equal(await reports.flush(500), false, "flush while the key is held");
      balanced(reports.stats());
      equal(await reports.flush(60_000), true, "flush");
      const told = await record();
      equal(await titles(told), ["1", "1", "2"], "order");
      within((told.requests[1]?.at ?? 0) - (told.requests[0]?.at ?? 0), 1_950, 20_000, "the wait");
    },
  ],
  [
    "what fails in passing is tried until it is delivered, with the same bytes, and stored once",
    async (env) => {
      const cut = step({ do: "commit" }, { do: "reset" });
      const { reports, record } = await faultyReports(env, [
        step(html(502)),
        { moves: [{ do: "reset" }], unread: true },
        cut,
        accept,
      ]);
      const id = reports.capture({ title: "stubborn" }, { attachments: [{ filename: "a", data: "x" }] });
      for (let turn = 0; turn < 6 && !(await reports.flush(3_000)); turn++) balanced(reports.stats());
      equal(reports.stats(), { captured: 1, sent: 1, duplicates: 1, queued: 0, dropped: {} }, "stats");
      const { requests, stored } = await record();
      equal([requests.length, stored], [4, 1], "requests, events");
      equal(new Set(requests.filter(({ body }) => body).map(({ body }) => body)).size, 1, "different bodies");
      equal(requests[0] && (await envelopeOf(requests[0])).reportId, id, "reportId");
    },
  ],
  [
    "flush ends when its time is up, is one promise, and never rejects",
    async (env) => {
      const { reports } = await faultyReports(env, [step()], { timeoutMs: 3_000 });
      reports.capture({ title: "stuck" });
      const began = Date.now();
      const [first, second] = [reports.flush(400), reports.flush(400)];
      ok(first === second, "two promises");
      equal(await inTime(900, Promise.all([first, second]), "the end of flush"), [false, false], "flush");
      ok(Date.now() - began >= 380, "flush ended before its time was up");
      balanced(reports.stats());
      equal(reports.stats().queued, 1, "queued");
      equal(await reports.close(100), false, "close");
      balanced(reports.stats());
    },
  ],
  [
    "flush of nothing is done at once",
    async (env) => {
      const { reports } = await faultyReports(env, []);
      equal(await reports.flush(60_000), true, "flush");
      equal(await reports.close(), true, "close");
    },
  ],
  [
    "capture never throws, whatever it is given",
    async (env) => {
      const { reports } = await faultyReports(env, [accept]);
      const capture = reports.capture.bind(reports) as (...given: unknown[]) => string;
      const thrower = {
        get title(): string {
          throw new Error("getter");
        },
      };
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      const given: unknown[][] = [[], [null], [1n], [cycle], [thrower], [Symbol("x")], [() => {}]];
      const odd: unknown[] = [
        null,
        5,
        "text",
        [null],
        [undefined],
        [5],
        [{}],
        [{ filename: "a" }],
        [{ filename: "a", data: 5 }],
      ];
      for (const attachments of odd) given.push([{ title: "odd" }, { attachments }]);
      given.push([{ title: "odd" }, null], [{ title: "odd" }, 5]);
      for (const call of given) {
        const id = capture(...call);
        ok(/^[0-9a-f-]{36}$/.test(id), `no id: ${id}`);
        balanced(reports.stats());
      }
      await reports.flush(60_000);
      balanced(reports.stats());
      equal([reports.stats().captured, reports.stats().queued], [given.length, 0], "captured, queued");
    },
  ],
  [
    "a full queue drops what comes, by count and by bytes",
    async (env) => {
      const { reports } = await faultyReports(env, [step()], { queue: { maxReports: 2 }, timeoutMs: 500 });
      for (const title of ["1", "2", "3", "4"]) reports.capture({ title });
      balanced(reports.stats());
      equal([reports.stats().queued, reports.stats().dropped], [2, { queue_full: 2 }], "queued, dropped");
      await reports.close(10);

      const small = await faultyReports(env, [step()], { queue: { maxBytes: 5_000 }, timeoutMs: 500 });
      for (const title of ["1", "2"])
        small.reports.capture({ title }, { attachments: [{ filename: "a", data: new Uint8Array(3_000) }] });
      // What is too much shows when it is packed.
      while (small.reports.stats().queued > 1) await sleep(5);
      equal([small.reports.stats().queued, small.reports.stats().dropped], [1, { queue_full: 1 }], "queued, dropped");
      await small.reports.close(10);
    },
  ],
  [
    "a report that waited too long is dropped, not sent",
    async (env) => {
      // Old enough only after the wait, also where the first request is late.
      const { reports, record } = await faultyReports(env, [step(json(429, {}, { "retry-after": "6" })), accept], {
        queue: { maxAgeMs: 5_000 },
      });
      reports.capture({ title: "old" });
      equal(await reports.flush(60_000), false, "flush");
      equal(reports.stats().dropped, { too_old: 1 }, "dropped");
      equal((await record()).requests.length, 1, "requests");
    },
  ],
  [
    "close gives up what only memory has",
    async (env) => {
      const { reports } = await faultyReports(env, [step(html(503))]);
      reports.capture({ title: "1" });
      equal(await reports.close(200), false, "close");
      balanced(reports.stats());
      equal(reports.stats().dropped, { closed: 1 }, "dropped");
    },
  ],
  [
    "waitUntil is given what a Worker has to wait for, and may fail",
    async (env) => {
      const given: Promise<unknown>[] = [];
      const waitUntil = (done: Promise<unknown>) => void given.push(done);
      const { reports } = await faultyReports(env, [accept], { waitUntil });
      reports.capture({ title: "1" });
      await Promise.all(given);
      equal([given.length > 0, reports.stats().sent], [true, 1], "given, sent");
      const other = await faultyReports(env, [accept], {
        waitUntil: () => {
          throw new Error("too late");
        },
      });
      other.reports.capture({ title: "1" });
      equal(await other.reports.flush(60_000), true, "flush");
    },
  ],
  [
    "a logger that throws is not the queue's trouble",
    async (env) => {
      const loud = () => {
        throw new Error("log");
      };
      const logger = { debug: loud, info: loud, warn: loud, error: loud };
      const { reports } = await faultyReports(env, [step(json(400, {})), accept], { logger });
      reports.capture({ title: "1" });
      reports.capture({ title: "2" });
      await reports.flush(60_000);
      equal(reports.stats(), { captured: 2, sent: 1, duplicates: 0, queued: 0, dropped: { refused: 1 } }, "stats");
    },
  ],
  [
    "a queue that waits for its key keeps no process alive",
    async (env) => {
      const { reports } = await faultyReports(env, [step(json(429, {}, { "retry-after": "3600" }))]);
      reports.capture({ title: "waits for an hour" });
      equal(await reports.flush(300), false, "flush");
      equal(reports.stats().queued, 1, "queued");
    },
  ],
  [
    "a redirect keeps reports waiting: most often it is a network that wants a sign-in",
    async (env) => {
      const portal = write(302, { headers: { location: "$elsewhere/login" } });
      const { reports, record } = await faultyReports(env, [step(portal), accept]);
      reports.capture({ title: "1" });
      for (let turn = 0; turn < 4 && !(await reports.flush(2_000)); turn++) balanced(reports.stats());
      equal(reports.stats().sent, 1, "sent");
      equal((await record()).elsewhere, 0, "visits of the target");
    },
  ],
];
