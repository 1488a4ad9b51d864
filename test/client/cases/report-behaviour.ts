import { AuthenticationError, DroppedError, IngestClient, RateLimitError } from "@intake/client/ingest";
import { scrub } from "@intake/client/scrub";
import { equal, ok, within } from "./check.ts";
import type { Case } from "./env.ts";
import { ask, failure } from "./kit.ts";
import { envelope, event, reportsOf } from "./stored.ts";

export const reportBehaviour: Case[] = [
  [
    "a report is stored as it was given, with what the client knows",
    async (env) => {
      const { reports } = await reportsOf(env, { app: { name: "shop", version: "4.2.0", environment: "test" } });
      const given = {
        type: "crash",
        title: "Größe 😀",
        level: "fatal",
        contexts: { a: [1, null, { b: "\u2028" }] },
      } as const;
      const receipt = await reports.submit({ ...given, app: { build: "7" }, own: { member: true } });
      equal([receipt.status, receipt.idempotent, receipt.warnings], ["received", false, undefined]);
      const stored = await envelope(env, receipt.eventId);
      const { version, app, type, title, level, contexts, own } = stored;
      equal({ type, title, level, contexts }, given, "what was stored");
      equal(own, { member: true }, "a member of the caller's own");
      equal([version, app], [1, { name: "shop", version: "4.2.0", environment: "test", build: "7" }]);
      within(Date.parse(String(stored["occurredAt"])), Date.now() - 60_000, Date.now() + 1_000, "occurredAt");
      const shown = await event(env, receipt.eventId);
      equal(
        [shown.type, shown.title, shown.level, shown.release, shown.environment],
        ["crash", "Größe 😀", "fatal", "4.2.0", "test"],
      );
      equal([shown.reportId, shown.warnings], [stored["reportId"], []]);
    },
  ],
  [
    "an error is a report, with its causes",
    async (env) => {
      const { reports } = await reportsOf(env);
      const error = new TypeError("Größe is undefined", { cause: new Error("no such file") });
      const { eventId, warnings } = await reports.submit(error);
      const shown = await event(env, eventId);
      equal([shown.type, shown.title, shown.level], ["error", "TypeError: Größe is undefined", "error"]);
      equal(warnings, undefined, "warnings");
      const [told, cause] = shown.exceptions;
      equal(
        [told?.type, told?.message, cause?.type, cause?.message],
        ["TypeError", error.message, "Error", "no such file"],
      );
      ok(told?.frames.length || told?.text, "no stack");
    },
  ],
  [
    "an error anywhere in a report is described, and one that was thrown as a text too",
    async (env) => {
      const { reports } = await reportsOf(env);
      const gone = new DOMException("gone", "AbortError");
      const contexts = { last: { error: new AggregateError([gone, "text"], "both") } };
      const first = await envelope(env, (await reports.submit({ title: "x", contexts })).eventId);
      const { error } = (first["contexts"] as { last: { error: { value: string; causes: { value: string }[] } } }).last;
      equal([error.value, ...error.causes.map(({ value }) => value)], ["both", "gone", "text"], "in contexts");
      const { eventId } = await reports.submit({ exception: "thrown", level: "fatal" });
      const shown = await event(env, eventId);
      equal([shown.title, shown.level, shown.exceptions[0]?.message], ["thrown", "fatal", "thrown"], "a thrown text");
    },
  ],
  [
    "a large envelope is stored as it was given",
    async (env) => {
      const { reports } = await reportsOf(env);
      const breadcrumbs = Array.from({ length: 20_000 }, (_, index) => ({ index, text: "Größe 😀 ".repeat(3) }));
      const { eventId } = await reports.submit({ breadcrumbs });
      equal((await envelope(env, eventId))["breadcrumbs"], breadcrumbs, "breadcrumbs");
    },
  ],
  [
    "the same report twice is one event",
    async (env) => {
      const { reports } = await reportsOf(env);
      const report = { reportId: crypto.randomUUID(), occurredAt: "2026-11-21T12:00:00.000Z", title: "Twice" };
      const first = await reports.submit(report, { attachments: [{ filename: "a", data: "x" }] });
      const again = await reports.submit(report, { attachments: [{ filename: "a", data: "x" }] });
      equal([first.idempotent, again.idempotent, again.eventId], [false, true, first.eventId]);
      equal((await event(env, first.eventId)).repeatCount, 1, "repeats");
      equal(reports.stats(), { captured: 2, sent: 2, duplicates: 1, queued: 0, dropped: {} }, "stats");
    },
  ],
  [
    "captured reports are delivered by flush, each once, in order",
    async (env) => {
      const { reports } = await reportsOf(env);
      const ids = ["one", "two", "three"].map((title) =>
        reports.capture({ title }, { attachments: [{ filename: "a", data: title }] }),
      );
      equal(reports.stats().captured, 3, "captured");
      equal(await reports.flush(20_000), true, "flush");
      equal(reports.stats(), { captured: 3, sent: 3, duplicates: 0, queued: 0, dropped: {} }, "stats");
      const { items } = await ask<{ items: { id: string; reportId: string; title: string }[] }>(env, "/events");
      const mine = items.filter(({ reportId }) => ids.includes(reportId)).map(({ title }) => title);
      equal(mine.sort(), ["one", "three", "two"], "events");
    },
  ],
  [
    "a closed client has delivered what it had, and takes nothing more",
    async (env) => {
      const { reports } = await reportsOf(env);
      reports.capture({ title: "last" });
      equal(await reports.close(), true, "close");
      ok(reports.capture({ title: "too late" }), "no id");
      const error = await failure(reports.submit({ title: "too late" }));
      ok(error instanceof DroppedError && error.reason === "closed", `${error.name}: ${error.message}`);
      equal(reports.stats(), { captured: 3, sent: 1, duplicates: 0, queued: 0, dropped: { closed: 2 } }, "stats");
    },
  ],
  [
    "beforeSend has the last word",
    async (env) => {
      const { reports } = await reportsOf(env, {
        async beforeSend(report) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          if (report.title === "throw") throw new Error("no");
          return report.title === "drop" ? null : { ...report, title: `${report.title}, seen` };
        },
      });
      const { eventId } = await reports.submit({ title: "kept" });
      equal((await event(env, eventId)).title, "kept, seen", "title");
      const dropped = await failure(reports.submit({ title: "drop" }));
      const threw = await failure(reports.submit({ title: "throw" }));
      ok(dropped instanceof DroppedError && dropped.reason === "before_send", `${dropped.name}: ${dropped.message}`);
      ok(threw instanceof DroppedError && threw.reason === "before_send_threw", `${threw.name}: ${threw.message}`);
      equal(reports.stats().dropped, { before_send: 1, before_send_threw: 1 }, "dropped");
      const { eventId: next } = await reports.submit({ title: "next" });
      const told = (await envelope(env, next))["clientReport"];
      equal(told, { dropped: { before_send: 1, before_send_threw: 1 } }, "what the next envelope tells");
    },
  ],
  [
    "scrub takes out what is nobody's business",
    async (env) => {
      const { reports } = await reportsOf(env, { beforeSend: scrub });
      const headers = { Authorization: "Bearer abcdefghijkl", cookie: "session=1", accept: "*/*" };
      const { eventId } = await reports.submit({
        title: "x",
        contexts: { request: { headers }, form: { password: "hunter2" } },
      });
      const text = JSON.stringify(await envelope(env, eventId));
      for (const secret of ["abcdefghijkl", "session=1", "hunter2"]) ok(!text.includes(secret), `${secret} was sent`);
      ok(text.includes("*/*"), "accept is gone");
    },
  ],
  [
    "what cannot be written as JSON is dropped with its reason",
    async (env) => {
      const { reports } = await reportsOf(env);
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      for (const report of [cycle, { n: 1n }, { toJSON: () => undefined }, null, "text", [1], undefined]) {
        const error = await failure(reports.submit(report as Record<string, unknown>));
        ok(error instanceof DroppedError && error.reason === "unserialisable", `${error.name}: ${error.message}`);
      }
    },
  ],
  [
    "a key that is paused, revoked or unknown is told with class and code",
    async (env) => {
      const { reports, id } = await reportsOf(env);
      await ask(env, `/keys/${id}/pause`, { method: "POST" });
      const paused = await failure(reports.submit({ title: "x" }));
      ok(paused instanceof RateLimitError, `${paused.name}: ${paused.message}`);
      equal([paused.status, paused.code, paused.retryAfterMs], [429, "rate_limit_exceeded", 3_600_000]);

      const { reports: other, id: otherId } = await reportsOf(env);
      await ask(env, `/keys/${otherId}/revoke`, { method: "POST" });
      const revoked = await failure(other.submit({ title: "x" }));
      ok(revoked instanceof AuthenticationError, `${revoked.name}: ${revoked.message}`);
      equal([revoked.status, revoked.code], [401, "invalid_sdk_key"]);
    },
  ],
  [
    "the constructor refuses an API token, mistyped keys and addresses that are none",
    async (env) => {
      const mistyped = env.key.slice(0, 10) + (env.key[10] === "a" ? "b" : "a") + env.key.slice(11);
      const base = { ingestUrl: env.ingestUrl, key: env.key };
      for (const wrong of [
        { key: env.token },
        { key: mistyped },
        { key: "" },
        { ingestUrl: "intake" },
        { ingestUrl: "http://u:p@h" },
      ]) {
        await failure(Promise.resolve().then(() => new IngestClient({ ...base, ...wrong })));
      }
    },
  ],
  [
    "a level that is none costs no report, and is told",
    async (env) => {
      const { reports } = await reportsOf(env);
      const receipt = await reports.submit({ title: "x", level: "loud" as "error" });
      equal(
        receipt.warnings?.map(({ path, code }) => [path, code]),
        [["/level", "wrong_type"]],
        "warnings",
      );
    },
  ],
];
