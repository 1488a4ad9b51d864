import {
  AbortError,
  ConnectionError,
  type IngestOptions,
  PayloadTooLargeError,
  RateLimitError,
  RedirectError,
  TimeoutError,
} from "@intake/client/ingest";
import { accept, html, json, type Move, type Step, step, write } from "../fault-script.ts";
import { equal, ok, within } from "./check.ts";
import { countingSignal } from "./counting-signal.ts";
import type { Case } from "./env.ts";
import { failure, faultyReports, inTime, notingWaits, tellingWaits, until } from "./kit.ts";
import { sameBytes, waited } from "./tries.ts";

const report = { type: "crash", title: "Boom" };
const attachments = [
  { filename: "screen.png", data: Uint8Array.of(0, 13, 10, 255), contentType: "image/png" },
] as const;
const reset: Move = { do: "reset" };
const commit: Move = { do: "commit" };
const type = { "content-type": "application/json" };
const half = '{"status":"received","eve';

/**
 * The report was stored but its answer was cut off: the next try is answered as a repeat, and nothing is stored twice.
 */
function lost(how: string, step: Step, options: Partial<IngestOptions> = {}): Case {
  return [
    `a report whose answer was ${how} is stored once`,
    async (env) => {
      const { reports, record } = await faultyReports(env, [step, accept], options);
      const { idempotent } = await reports.submit(report, { attachments: [...attachments] });
      equal(idempotent, true, "idempotent");
      const { requests, stored } = await record();
      equal(stored, 1, "events");
      sameBytes(requests, 2);
      equal(reports.stats(), { captured: 1, sent: 1, duplicates: 1, queued: 0, dropped: {} }, "stats");
    },
  ];
}

function transient(what: string, step: Step, options: Partial<IngestOptions> = {}): Case {
  return [
    `${what} is tried again with the same bytes`,
    async (env) => {
      const { reports, record } = await faultyReports(env, [step, accept], options);
      const { idempotent } = await reports.submit(report, { attachments: [...attachments] });
      equal(idempotent, false, "idempotent");
      const { requests, stored } = await record();
      equal(stored, 1, "events");
      sameBytes(requests, 2);
    },
  ];
}

function redirect(status: number): Case {
  return [
    `a report is not carried along by a redirect with ${status}`,
    async (env) => {
      const away = write(status, { headers: { location: "$elsewhere/api/ingest" } });
      const { reports, record } = await faultyReports(env, [step(away), accept]);
      const error = await failure(reports.submit(report));
      ok(error instanceof RedirectError, `${error.name} is no RedirectError: ${error.message}`);
      const { requests, elsewhere } = await record();
      equal([requests.length, elsewhere], [1, 0], "tries, visits of the target");
    },
  ];
}

export const reportFaults: Case[] = [
  transient("429 without Retry-After", step(json(429, { error: "rate_limit_exceeded" }))),
  transient("503", step(json(503, { error: "service_unavailable" }, { "retry-after": "1" }))),
  transient("408", step(json(408, { error: "request_timeout" }))),
  transient("a proxy's page", step(html(502))),
  transient("a captive portal's page", step(html(200))),
  transient("a reset before the request is read", { moves: [reset], unread: true }),
  transient("an answer that never comes", step(), { timeoutMs: 3_000 }),
  lost("never sent, the connection reset", step(commit, reset)),
  lost("never sent, the connection ended", step(commit, { do: "end" })),
  lost("cut in its body", step(commit, write(200, { headers: type, body: half, length: 300 }), { do: "end" })),
  lost("stalled in its body", step(commit, write(200, { headers: type, body: half, length: 300 })), {
    timeoutMs: 3_000,
  }),
  lost("a 200 without its members", step(commit, json(200, { status: "received" }))),
  ...[301, 307, 308].map(redirect),
  [
    "429 with Retry-After is waited for, with the same bytes after it",
    async (env) => {
      const { logger, decided } = notingWaits();
      const limited = step(json(429, {}, { "retry-after": "1" }));
      const { reports, record } = await faultyReports(env, [limited, accept], { logger });
      await reports.submit(report, { attachments: [...attachments] });
      const told = await record();
      sameBytes(told.requests, 2);
      waited(told, decided, 1_000);
    },
  ],
  [
    "429 with a long Retry-After is an error at once, and holds the key for who comes next",
    async (env) => {
      const { reports, record } = await faultyReports(env, [step(json(429, {}, { "retry-after": "120" })), accept]);
      for (const time of ["first", "second"]) {
        const error = await failure(reports.submit(report));
        ok(error instanceof RateLimitError, `${error.name}: ${error.message}`);
        within(error.retryAfterMs, 90_000, 120_000, `retryAfterMs, ${time}`);
      }
      equal((await record()).requests.length, 1, "tries");
    },
  ],
  [
    "a short hold of the key is waited for by every report",
    async (env) => {
      const { logger, waiting } = tellingWaits();
      const limited = step(json(429, {}, { "retry-after": "2" }));
      const { reports, record } = await faultyReports(env, [limited, accept], { logger });
      const first = reports.submit({ title: "first" });
      await waiting;
      await Promise.all([first, reports.submit({ title: "second" })]);
      const { requests } = await record();
      equal(requests.length, 3, "requests");
      const [refused, ...later] = requests;
      for (const { at } of later) within(at - (refused?.at ?? 0), 1_900, 20_000, "the wait");
    },
  ],
  [
    "413 tells what was too large, and is not tried again",
    async (env) => {
      const refusal = json(413, {
        error: "payload_too_large",
        message: "Too large.",
        reason: "envelope",
        limit: 5_242_880,
      });
      const { reports, record } = await faultyReports(env, [step(refusal), accept]);
      const error = await failure(reports.submit(report));
      ok(error instanceof PayloadTooLargeError, `${error.name}: ${error.message}`);
      equal([error.code, error.reason, error.limit], ["payload_too_large", "envelope", 5_242_880]);
      equal((await record()).requests.length, 1, "tries");
      equal(reports.stats(), { captured: 1, sent: 0, duplicates: 0, queued: 0, dropped: { refused: 1 } }, "stats");
    },
  ],
  [
    "a server that never answers is a TimeoutError, resets are a ConnectionError",
    async (env) => {
      const silent = await faultyReports(env, [step()], { timeoutMs: 400, maxRetries: 1 });
      const late = await failure(silent.reports.submit(report));
      ok(late instanceof TimeoutError, `${late.name}: ${late.message}`);
      const cut = await faultyReports(env, [{ moves: [reset], unread: true }], { maxRetries: 1 });
      const broken = await failure(cut.reports.submit(report));
      ok(broken instanceof ConnectionError, `${broken.name}: ${broken.message}`);
    },
  ],
  [
    "a key that the server sends back stands in no text of the error",
    async (env) => {
      const echo = {
        error: "$authorization",
        message: "$authorization",
        details: [{ path: "$authorization" }],
        reason: "$authorization",
      };
      for (const status of [400, 401, 413, 418]) {
        const { reports } = await faultyReports(env, [step(json(status, echo, { "x-request-id": "$authorization" }))]);
        await failure(reports.submit(report));
      }
      const { reports } = await faultyReports(env, [step(json(400, echo))]);
      reports.capture(report);
      equal(await reports.flush(60_000), false, "flush");
    },
  ],
  [
    "members that the client does not know are kept in the receipt",
    async (env) => {
      const answer = {
        status: "received",
        eventId: "019ac1c5-9f2e-7c3b-9d4e-2f7a1b3c5d7e",
        deliveryCount: 3,
        idempotent: false,
        more: [1],
      };
      const { reports } = await faultyReports(env, [step(json(200, answer))]);
      equal(await reports.submit(report), answer, "receipt");
    },
  ],
  [
    "an abort ends a try and a wait at once, and leaves nothing",
    async (env) => {
      for (const place of ["try", "wait"]) {
        const { logger, waiting } = tellingWaits();
        const first = place === "try" ? step() : step(json(429, {}, { "retry-after": "30" }));
        const { reports, ...faults } = await faultyReports(env, [first, accept], { logger });
        const { signal, abort, listeners } = countingSignal();
        const submitting = failure(reports.submit(report, { signal }));
        await until(faults, ({ requests }) => requests.length === 1);
        if (place === "wait") await waiting;
        abort();
        ok((await inTime(500, submitting, "the error")) instanceof AbortError, "no AbortError");
        equal(listeners(), 0, "listeners left");
      }
    },
  ],
];
