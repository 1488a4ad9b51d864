import { DroppedError, IngestClient } from "@intake/client/ingest";
import { accept, json, type Step, step } from "../fault-script.ts";
import { equal, ok } from "./check.ts";
import { countingSignal } from "./counting-signal.ts";
import type { Case } from "./env.ts";
import { envelopeOf } from "./form.ts";
import { balanced, failure, faultyReports, tellingWaits, until } from "./kit.ts";
import { memoryStore } from "./memory-store.ts";

const closedStats = { captured: 1, sent: 0, duplicates: 0, queued: 0, dropped: { closed: 1 } };

/** Closes a client, and checks what its `submit` that is under way ends with. */
async function closes(reports: IngestClient, submitting: Promise<Error>) {
  equal(await reports.close(10), false, "close");
  const error = await submitting;
  ok(error instanceof DroppedError && error.reason === "closed", `${error.name}: ${error.message}`);
  ok(/closed: use a new one, with the same reportId/.test(error.message), `no remedy: ${error.message}`);
  equal(reports.stats(), closedStats, "stats");
}

/** Closes a client while its `submit` waits for something that nothing else would end soon. */
function closedIn(where: string, first: Step, place: "wait" | "try"): Case {
  return [
    `close ${where} ends a submit and its request at once, and the same reportId can be submitted again`,
    async (env) => {
      const { logger, waiting } = tellingWaits();
      // Nothing but the end of the client ends a wait of ten minutes before the time of the case is up.
      const patient = { maxRetryAfterMs: 3_600_000, deadlineMs: 3_600_000 };
      const { reports, url, ...faults } = await faultyReports(env, [first, accept], { logger, ...patient });
      const { signal, listeners } = countingSignal();
      const reportId = crypto.randomUUID();
      const submitting = failure(reports.submit({ reportId, title: "kept" }, { signal }));
      await until({ url, ...faults }, ({ requests }) => requests.length === 1);
      if (place === "wait") await waiting;
      await closes(reports, submitting);
      equal(listeners(), 0, "listeners left");
      const connection = (await faults.record()).requests[0]?.connection ?? 0;
      if (place === "try") await until({ url, ...faults }, ({ open }) => !open.includes(connection));

      const next = new IngestClient({ ingestUrl: url, key: env.key });
      const { idempotent } = await next.submit({ reportId, title: "kept" });
      equal(idempotent, place === "try", "whether it was stored before");
      const { requests, stored } = await faults.record();
      equal([requests.length, stored], [2, 1], "requests, events");
    },
  ];
}

export const closeFaults: Case[] = [
  closedIn("before the answer", step({ do: "commit" }), "try"),
  closedIn("between two tries", step(json(429, { error: "rate_limit_exceeded" }, { "retry-after": "600" })), "wait"),
  [
    "close ends a submit that is being packed, and nothing is sent",
    async (env) => {
      const { reports, record } = await faultyReports(env, [accept], { beforeSend: () => new Promise(() => {}) });
      await closes(reports, failure(reports.submit({ title: "never" })));
      equal((await record()).requests.length, 0, "requests");
    },
  ],
  [
    "close ends the request of a queued report, which the next client delivers from the store: one event with its id",
    async (env) => {
      const store = memoryStore();
      const { reports, url, ...faults } = await faultyReports(env, [step({ do: "commit" }), accept], { store });
      const id = reports.capture({ title: "kept" });
      await until({ url, ...faults }, ({ requests }) => requests.length === 1);
      equal(await reports.close(10), false, "close");
      const connection = (await faults.record()).requests[0]?.connection ?? 0;
      await until({ url, ...faults }, ({ open }) => !open.includes(connection));
      equal([reports.stats().queued, reports.stats().dropped], [1, {}], "queued, dropped");
      equal(store.records.size, 1, "records");

      const next = new IngestClient({ ingestUrl: url, key: env.key, store });
      equal(await next.flush(60_000), true, "flush of the next client");
      balanced(next.stats());
      equal([next.stats().duplicates, store.records.size], [1, 0], "duplicates, records left");
      const { requests, stored } = await faults.record();
      const ids = await Promise.all(requests.map(async (request) => (await envelopeOf(request)).reportId));
      equal([ids, stored], [[id, id], 1], "ids, events");
    },
  ],
];
