import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { createProject } from "../../server/boards/create-project.ts";
import { setSetting } from "../../server/core/settings.ts";
import { changeKey } from "../../server/credentials/change-key.ts";
import { deleteEvent } from "../../server/ingest/delete-events.ts";
import {
  type Answer,
  attachment,
  envelope,
  eventCount,
  eventTools,
  form,
  newSdkKey,
  type PartInput,
  received,
  shown,
  submit,
} from "../support/ingest.ts";
import type { Installation } from "../support/installation.ts";
import { keptIds } from "../support/kept-files.ts";
import { describeTargets, type Target } from "../support/targets.ts";

const off = { rateLimits: false };
const ways = ["in process", "over loopback", "compiled binary"] as const;

/** A project with an SDK key. */
async function newProject(installation: Installation) {
  const { id } = await createProject({ ctx: installation.ctx, input: { name: "Project" } });
  const { key } = await newSdkKey(installation, { projectId: id });
  return { id, key, count: () => eventCount(installation, id) };
}

const codes = ({ warnings }: Answer) => warnings?.map(({ code }) => code);

describeTargets(
  "a report that is sent again, with a reportId",
  (target) => {
    const send = (key: string, value: unknown, ...attachments: PartInput[]) =>
      received(target(), { key, parts: [envelope(value), ...attachments] });
    const content = { title: "Crash", tags: { a: "1", b: "2" }, list: [1, { x: 1, y: null }], user: { id: "u" } };
    const newReport = () => ({ reportId: crypto.randomUUID(), ...content, sentAt: "2026-05-01T10:00:00Z" });

    test("is a repeat: the first eventId and deliveryCount, no warnings, counted on the event", async () => {
      const project = await newProject(target().installation);
      const report = { ...newReport(), level: "wrong" };
      const first = await send(project.key, report);
      expect(first).toMatchObject({ idempotent: false, warnings: [{ path: "/level", code: "wrong_type" }] });
      for (let i = 1; i <= 3; i++) {
        const again = await send(project.key, report);
        expect(again).toEqual({
          status: "received",
          eventId: first.eventId,
          deliveryCount: first.deliveryCount,
          idempotent: true,
        });
        expect((await shown(target().installation, first.eventId)).repeatCount).toBe(i);
      }
      expect(await project.count()).toBe(1);
    });

    for (const [name, again] of [
      ["with its members in another order", (report) => ({ envelope: reversed(report) })],
      ["with other blanks", (report) => ({ envelope: JSON.stringify(report, null, 2) })],
      [
        "with escapes instead of characters",
        (report) => ({ envelope: JSON.stringify(report).replace("Crash", "\\u0043rash") }),
      ],
      [
        "with numbers written differently",
        (report) => ({ envelope: JSON.stringify(report).replace("[1,", "[1.0e0,") }),
      ],
      ["with a byte order mark", (report) => ({ envelope: `\uFEFF${JSON.stringify(report)}` })],
      ["packed", (report) => ({ envelope: gzipSync(JSON.stringify(report)) })],
      ["packed, in another order", (report) => ({ envelope: gzipSync(JSON.stringify(reversed(report))) })],
      ["with a later sentAt", (report) => ({ envelope: { ...report, sentAt: "2026-06-01T00:00:00Z" } })],
      ["without sentAt", ({ sentAt: _, ...report }) => ({ envelope: report })],
      [
        "with dropped, clientReport and attachments",
        (report) => ({ envelope: { ...report, dropped: [{ name: "a" }], clientReport: { n: 1 }, attachments: [] } }),
      ],
      [
        "with its reportId in capitals",
        (report) => ({ envelope: { ...report, reportId: report.reportId.toUpperCase() } }),
      ],
      ["with another boundary", () => ({ boundary: "other" })],
      [
        "with its attachments in another order and under other names",
        () => ({ attachments: [attachment("two", 8), attachment("one", 9)] }),
      ],
      ["with one attachment", () => ({ attachments: [attachment("two", 1)] })],
      ["with one attachment twice", () => ({ attachments: [attachment("two", 1), attachment("two", 2)] })],
      ["without attachments", () => ({ attachments: [] })],
      [
        "without the attachments that it lists",
        (report) => ({ envelope: { ...report, attachments: [{ part: "attachment_0" }] }, attachments: [] }),
      ],
    ] satisfies [string, (report: Report) => Again][]) {
      test(`is a repeat ${name}`, async () => {
        const project = await newProject(target().installation);
        const report = { ...newReport() };
        const attachments = [attachment("one", 0), attachment("two", 1)];
        const first = await send(project.key, report, ...attachments);
        const change: Again = again(report);
        const mark = change.boundary ?? "mark";
        const body = form([envelope(change.envelope ?? report), ...(change.attachments ?? attachments)], mark);
        const headers = { "content-type": `multipart/form-data; boundary=${mark}` };
        const second = await received(target(), { key: project.key, body, headers });
        expect(second).toEqual({ ...first, idempotent: true });
        expect(await project.count()).toBe(1);
      });
    }

    test("is a repeat with another key of the project, also after the first was revoked", async () => {
      const { installation } = target();
      const project = await newProject(installation);
      const old = await newSdkKey(installation, { projectId: project.id });
      const report = newReport();
      const first = await send(old.key, report);
      await changeKey({ ctx: installation.ctx, input: { id: old.id, change: "revoke" } });
      expect(await send(project.key, report)).toMatchObject({ eventId: first.eventId, idempotent: true });
    });

    for (const [name, change] of [
      ["another value", { title: "Other" }],
      ["a member more", { more: 1 }],
      ["null where nothing was", { more: null }],
      ["a text instead of a number", { list: ["1", { x: 1, y: null }] }],
      ["another order in a list", { list: [{ x: 1, y: null }, 1] }],
      ["nothing where null was", { list: [1, { x: 1 }] }],
      ["an inner sentAt", { user: { id: "u", sentAt: "2026-01-01" } }],
      ["__proto__ as a member", JSON.parse('{"user": {"id": "u", "__proto__": {}}}')],
      ["blanks in a text", { title: "Crash " }],
      ["another normal form of a text", { title: "Cra\u0301sh" }],
    ] as const) {
      test(`is an event of its own with ${name}, says so, and its own repeat is one of the second`, async () => {
        const project = await newProject(target().installation);
        const report = newReport();
        const first = await send(project.key, report);
        const second = await send(project.key, { ...report, ...change });
        expect([second.idempotent, second.eventId === first.eventId, codes(second)]).toEqual([
          false,
          false,
          ["report_id_reused"],
        ]);
        expect((await shown(target().installation, second.eventId)).warnings).toMatchObject([
          { path: "/reportId", code: "report_id_reused" },
        ]);
        expect(await send(project.key, { ...report, ...change, sentAt: "2027-01-01" })).toMatchObject({
          eventId: second.eventId,
          idempotent: true,
        });
        expect(await send(project.key, reversed(report))).toMatchObject({ eventId: first.eventId, idempotent: true });
        expect(await project.count()).toBe(2);
      });
    }

    test("numbers beyond what JSON text can carry are not null", async () => {
      const project = await newProject(target().installation);
      const reportId = crypto.randomUUID();
      const text = (value: string) => `{"reportId":"${reportId}","value":${value}}`;
      await send(project.key, text("1e400"));
      expect(await send(project.key, text("null"))).toMatchObject({ idempotent: false });
      expect(await send(project.key, text("-1e400"))).toMatchObject({ idempotent: false });
    });

    test("is an event of its own with an attachment that the first had not", async () => {
      const project = await newProject(target().installation);
      const report = newReport();
      const first = await send(project.key, report, attachment("one"));
      const second = await send(project.key, report, attachment("one"), attachment("two", 1));
      expect([second.idempotent, codes(second)]).toEqual([false, ["report_id_reused"]]);
      const other = await send(project.key, report, attachment("three"));
      expect([other.idempotent, codes(other)]).toEqual([false, ["report_id_reused"]]);
      expect(await send(project.key, report, attachment("two"))).toMatchObject({
        eventId: second.eventId,
        idempotent: true,
      });
      expect(await send(project.key, report, attachment("one"))).toMatchObject({
        eventId: first.eventId,
        idempotent: true,
      });
      expect(await project.count()).toBe(3);
    });

    test("belongs to its project: the same report in another one is new, without a warning", async () => {
      const [one, other] = [await newProject(target().installation), await newProject(target().installation)];
      const report = newReport();
      const first = await send(one.key, report);
      const second = await send(other.key, report);
      expect(second).toMatchObject({ idempotent: false });
      expect([second.eventId === first.eventId, codes(second)]).toEqual([false, undefined]);
    });

    test("of very many under one id is recognised, every one", async () => {
      const project = await newProject(target().installation);
      const reportId = crypto.randomUUID();
      const reports = Array.from({ length: 150 }, (_, n) => ({ reportId, n }));
      const ids = [];
      for (const report of reports) ids.push((await send(project.key, report)).eventId);
      expect(new Set(ids).size).toBe(150);
      for (const [n, report] of reports.entries()) {
        expect(await send(project.key, report)).toMatchObject({ eventId: ids[n], idempotent: true });
      }
      expect(await project.count()).toBe(150);
    }, 180_000);

    test("is recognised among sixty of one id, each sent again with another sentAt, also after an upgrade", async () => {
      const { installation } = target();
      const project = await newProject(installation);
      const reportId = crypto.randomUUID();
      const report = (n: number, sentAt: string) => {
        return n % 3 === 0 ? { sentAt, reportId, n } : { n, reportId, list: [n], sentAt };
      };
      const files = (n: number) => (n % 2 === 0 ? [attachment("one"), attachment(`of ${n >> 2}`, 1)] : []);
      const ids: string[] = [];
      for (let n = 0; n < 60; n++) {
        ids.push((await send(project.key, report(n, "2026-05-01T10:00:00Z"), ...files(n))).eventId);
      }
      expect(new Set(ids).size).toBe(60);
      const again = async (sentAt: string, some: (of: PartInput[]) => PartInput[] = (of) => of) => {
        const answers = [];
        for (let n = 0; n < 60; n++) answers.push(await send(project.key, report(n, sentAt), ...some(files(n))));
        return answers.map(({ eventId, idempotent }) => [eventId, idempotent]);
      };
      const repeats = ids.map((id) => [id, true]);
      expect(await again("2026-05-02T10:00:00Z")).toEqual(repeats);
      expect(await again("2026-05-03T10:00:00Z", (of) => of.slice(1))).toEqual(repeats);
      // Receipts as an older binary has left them: without keys, and some without the digest.
      await installation.ctx.store.write(function* (tx) {
        yield* tx.run("delete from repeat_key");
        yield* tx.run("delete from reused_report_id");
        yield* tx.run("update receipt set canonical = null where project_id = $1 and event_id > $2", [
          project.id,
          ids[20] ?? "",
        ]);
      });
      expect(await again("2026-05-04T10:00:00Z", () => [])).toEqual(repeats);
      expect(await again("2026-05-05T10:00:00Z")).toEqual(repeats);
      expect(await project.count()).toBe(60);
    }, 180_000);
  },
  ways,
  off,
);

describeTargets(
  "a report that is sent again, without a reportId",
  (target) => {
    const send = (key: string, value: unknown, ...attachments: PartInput[]) =>
      received(target(), { key, parts: [envelope(value), ...attachments] });

    test("is a repeat with equal bytes and equal attachments, packed or not, in any order", async () => {
      const project = await newProject(target().installation);
      const text = JSON.stringify({ title: "x", sentAt: "2026-05-01" });
      const [one, two] = [attachment("one"), attachment("two", 1)];
      const first = await send(project.key, text, one, two);
      for (const parts of [
        [envelope(text), one, two],
        [two, envelope(gzipSync(text)), one],
        [attachment("two", 3), attachment("one", 4), { name: "other", body: text }],
      ]) {
        expect(await received(target(), { key: project.key, parts })).toEqual({ ...first, idempotent: true });
      }
      expect((await shown(target().installation, first.eventId)).repeatCount).toBe(3);
    });

    test("is new with other bytes or other attachments, without a warning", async () => {
      const project = await newProject(target().installation);
      const value = { title: "x", sentAt: "2026-05-01" };
      const answers = [
        await send(project.key, value, attachment("one")),
        await send(project.key, reversed(value), attachment("one")),
        await send(project.key, { ...value, sentAt: "2026-05-02" }, attachment("one")),
        await send(project.key, `${JSON.stringify(value)}\n`, attachment("one")),
        await send(project.key, value),
        await send(project.key, value, attachment("one"), attachment("one", 1)),
        await send(project.key, value, attachment("two")),
      ];
      expect(answers.map(({ idempotent, warnings }) => [idempotent, warnings])).toEqual(
        answers.map(() => [false, undefined]),
      );
      expect(await project.count()).toBe(answers.length);
    });

    test("is judged by its bytes too when its reportId is of a wrong type", async () => {
      for (const reportId of [7, "no uuid", null, "", {}]) {
        const project = await newProject(target().installation);
        const value = { reportId, a: 1, b: 2 };
        const first = await send(project.key, value);
        expect(await send(project.key, value)).toMatchObject({ eventId: first.eventId, idempotent: true });
        const other = await send(project.key, reversed(value));
        expect([other.idempotent, codes(other)?.includes("report_id_reused") ?? false]).toEqual([false, false]);
      }
    });

    test("with one and without are two reports", async () => {
      const project = await newProject(target().installation);
      const reportId = crypto.randomUUID();
      expect(await send(project.key, { reportId, a: 1 })).toMatchObject({ idempotent: false });
      expect(await send(project.key, { a: 1 })).toMatchObject({ idempotent: false });
    });
  },
  ways,
  off,
);

describeTargets(
  "many at once, deleted, or late",
  (target) => {
    for (const [name, value, files] of [
      ["with a reportId", () => ({ reportId: crypto.randomUUID(), title: "race" }), 0],
      ["without one", () => ({ title: crypto.randomUUID() }), 0],
      ["with attachments", () => ({ reportId: crypto.randomUUID() }), 2],
    ] as const) {
      test(`100 equal ones at once ${name} are one event, and exactly one answer is not a repeat`, async () => {
        const { installation } = target();
        const project = await newProject(installation);
        const before = await attachmentRows(installation);
        const unnamed = await filesWithoutRow(installation);
        const parts = [envelope(value()), ...Array.from({ length: files }, (_, i) => attachment(`content ${i}`, i))];
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => received(target(), { key: project.key, parts })),
        );
        expect(answers.filter(({ idempotent }) => !idempotent).length).toBe(1);
        expect(new Set(answers.map(({ eventId }) => eventId)).size).toBe(1);
        expect(await project.count()).toBe(1);
        expect((await shown(installation, answers[0]?.eventId ?? "")).repeatCount).toBe(99);
        expect(await attachmentRows(installation)).toBe(before + files);
        expect(await filesWithoutRow(installation)).toEqual(unnamed);
      }, 180_000);
    }

    test("100 at once, equal but for order and sentAt, are one event", async () => {
      const project = await newProject(target().installation);
      const reportId = crypto.randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => {
          const value = { reportId, title: "race", sentAt: `2026-05-01T10:00:${10 + (n % 50)}Z` };
          return received(target(), { key: project.key, parts: [envelope(n % 2 ? value : reversed(value))] });
        }),
      );
      expect(answers.filter(({ idempotent }) => !idempotent).length).toBe(1);
      expect(await project.count()).toBe(1);
    });

    test("100 different ones of one id at once are 100 events", async () => {
      const project = await newProject(target().installation);
      const reportId = crypto.randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          received(target(), { key: project.key, parts: [envelope({ reportId, n })] }),
        ),
      );
      expect(answers.filter(({ idempotent }) => idempotent)).toEqual([]);
      expect(answers.filter((answer) => codes(answer)?.includes("report_id_reused")).length).toBe(99);
      expect(await project.count()).toBe(100);
    });

    test("a deleted event does not come back, in whatever order of members it is sent again", async () => {
      const { installation } = target();
      const tools = eventTools(installation);
      for (const value of [
        { reportId: crypto.randomUUID(), title: "Forget me", b: 1 },
        { title: "Forget me", unique: crypto.randomUUID() },
      ]) {
        const project = await newProject(installation);
        const unnamed = await filesWithoutRow(installation);
        const send = (again: unknown) =>
          received(target(), { key: project.key, parts: [envelope(again), attachment("one")] });
        const first = await send(value);
        await deleteEvent({ ctx: installation.ctx, tools, input: { id: first.eventId } });
        const again = "reportId" in value ? [value, reversed(value), { ...value, sentAt: "2026-01-01" }] : [value];
        for (const one of again) expect(await send(one)).toEqual({ ...first, idempotent: true });
        expect(await project.count()).toBe(0);
        expect(await filesWithoutRow(installation)).toEqual(unnamed);
        if (!("reportId" in value)) continue;
        const other = await send({ ...value, title: "Other" });
        expect([other.idempotent, codes(other)]).toEqual([false, ["report_id_reused"]]);
      }
      tools.reader.close();
    });

    test("after the window it is a new event, before its end a repeat", async () => {
      const { installation } = target();
      const { ctx } = installation;
      await setSetting({ ctx, input: { name: "dedup_days", value: "2" } });
      try {
        for (const value of [{ reportId: crypto.randomUUID() }, { unique: crypto.randomUUID() }]) {
          const project = await newProject(installation);
          const send = () => received(target(), { key: project.key, parts: [envelope(value)] });
          const age = (days: number) =>
            ctx.store.write((tx) =>
              tx.run("update receipt set received_at = $1 where project_id = $2", [
                Date.now() - days * 86_400_000,
                project.id,
              ]),
            );
          const first = await send();
          await age(1.9);
          // The window begins with the first report: a repeat does not lengthen it.
          expect(await send()).toMatchObject({ eventId: first.eventId, idempotent: true });
          await age(2.1);
          const second = await send();
          expect([second.idempotent, second.eventId === first.eventId, second.warnings]).toEqual([
            false,
            false,
            undefined,
          ]);
          expect(await send()).toMatchObject({ eventId: second.eventId, idempotent: true });
          expect(await project.count()).toBe(2);
        }
      } finally {
        await setSetting({ ctx, input: { name: "dedup_days", value: "" } });
      }
      await expect(setSetting({ ctx, input: { name: "dedup_days", value: "0" } })).rejects.toThrow("1 to");
    });

    test("after the window it is a new event also among very many of its id", async () => {
      const { installation } = target();
      const { store } = installation.ctx;
      const project = await newProject(installation);
      const reportId = crypto.randomUUID();
      const send = (n: number) => received(target(), { key: project.key, parts: [envelope({ reportId, n })] });
      const sent = new Map<string, number>();
      for (let n = 0; n < 30; n++) sent.set((await send(n)).eventId, n);
      const receipts = await store.all<{ event_id: string }>(
        "select event_id from receipt where project_id = $1 order by binding",
        [project.id],
      );
      const old = receipts.at(-1)?.event_id ?? "";
      await store.write((tx) =>
        tx.run("update receipt set received_at = received_at - $2 where event_id = $1", [old, 100 * 86_400_000]),
      );
      const again = await send(sent.get(old) ?? -1);
      expect([again.idempotent, again.eventId === old, codes(again)]).toEqual([false, false, ["report_id_reused"]]);
      expect(await send(sent.get(old) ?? -1)).toMatchObject({ eventId: again.eventId, idempotent: true });
      expect(await project.count()).toBe(31);
    });

    test("a refused report is not remembered", async () => {
      const project = await newProject(target().installation);
      const value = { reportId: crypto.randomUUID() };
      const parts = [envelope(value), ...Array.from({ length: 6 }, (_, i) => attachment("x", i))];
      expect((await submit(target(), { key: project.key, parts })).status).toBe(413);
      expect(await received(target(), { key: project.key, parts: [envelope(value)] })).toMatchObject({
        idempotent: false,
      });
    });
  },
  ways,
  off,
);

/** One submission, in the model. */
interface Submission {
  project: number;
  /** A report id, or none. */
  report: number | undefined;
  title: number;
  /** The changes that a client may make to the same report. */
  order: boolean;
  sentAt: number;
  packed: boolean;
  secondKey: boolean;
  attachments: number[];
  atOnce: number;
}

/** A report that was accepted. */
interface Taken {
  eventId: string;
  report: number | undefined;
  title: number;
  /** The bytes, for a report without a report id. */
  text: string;
  attachments: number[];
  deleted: boolean;
}

describeTargets(
  "model of de-duplication",
  (target) => {
    test("no sequence of submissions and deletions leaves the rules", async () => {
      const submission: fc.Arbitrary<Submission> = fc.record({
        project: fc.nat(1),
        report: fc.option(fc.nat(1), { nil: undefined }),
        title: fc.nat(1),
        order: fc.boolean(),
        sentAt: fc.nat(2),
        packed: fc.boolean(),
        secondKey: fc.boolean(),
        attachments: fc.array(fc.nat(2), { maxLength: 3 }),
        atOnce: fc.integer({ min: 1, max: 3 }),
      });
      const step = fc.oneof({ weight: 9, arbitrary: submission }, { weight: 1, arbitrary: fc.nat(5) });
      const { installation } = target();
      const tools = eventTools(installation);
      const unnamed = await filesWithoutRow(installation);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
          const projects = [await newProject(installation), await newProject(installation)];
          const seconds = await Promise.all(projects.map(({ id }) => newSdkKey(installation, { projectId: id })));
          const taken: Taken[][] = [[], []];
          const ids = [crypto.randomUUID(), crypto.randomUUID()];
          for (const one of steps) {
            if (typeof one === "number") {
              const event = taken.flat().filter(({ deleted }) => !deleted)[one];
              if (!event) continue;
              await deleteEvent({ ctx: installation.ctx, tools, input: { id: event.eventId } });
              event.deleted = true;
              continue;
            }
            const list = taken[one.project] ?? [];
            const key = (one.secondKey ? seconds : projects)[one.project]?.key ?? "";
            await sendAndCompare(target(), key, ids, one, list);
          }
          for (const [i, { count }] of projects.entries()) {
            expect(await count()).toBe((taken[i] ?? []).filter(({ deleted }) => !deleted).length);
          }
        }),
        { numRuns: 40 },
      );
      tools.reader.close();
      expect(await filesWithoutRow(installation)).toEqual(unnamed);
    }, 180_000);
  },
  ways,
  off,
);

async function sendAndCompare(to: Target, key: string, ids: string[], one: Submission, list: Taken[]) {
  const value = {
    ...(one.report === undefined ? {} : { reportId: ids[one.report] }),
    title: `title ${one.title}`,
    sentAt: `2026-05-0${one.sentAt + 1}`,
  };
  const text = JSON.stringify(one.order ? value : reversed(value));
  const parts = [
    envelope(one.packed ? gzipSync(text) : text),
    ...one.attachments.map((content, i) => attachment(`content ${content}`, i)),
  ];
  const answers = await Promise.all(Array.from({ length: one.atOnce }, () => received(to, { key, parts })));

  const sameId = list.filter(({ report }) => report !== undefined && report === one.report);
  const first =
    one.report === undefined
      ? list.filter(
          (known) => known.text === text && `${known.attachments.toSorted()}` === `${one.attachments.toSorted()}`,
        )
      : sameId.filter(
          (known) =>
            known.title === one.title && one.attachments.every((content) => known.attachments.includes(content)),
        );
  const fresh = answers.filter(({ idempotent }) => !idempotent);
  if (first.length > 0) {
    expect(fresh).toEqual([]);
    const known = first.map(({ eventId }) => eventId);
    for (const { eventId } of answers) expect(known).toContain(eventId);
    return;
  }
  expect(fresh.length).toBe(1);
  const [{ eventId, warnings } = { eventId: "", warnings: undefined }] = fresh;
  expect(warnings?.map(({ code }) => code)).toEqual(sameId.length > 0 ? ["report_id_reused"] : undefined);
  expect(new Set(answers.map((answer) => answer.eventId)).size).toBe(1);
  const { report, title, attachments } = one;
  list.push({ eventId, report, title, text: report === undefined ? text : "", attachments, deleted: false });
}

interface Report {
  reportId: string;
  sentAt: string;
}

interface Again {
  envelope?: unknown;
  attachments?: PartInput[];
  boundary?: string;
}

/** The same value with the members of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

async function attachmentRows({ ctx }: Installation): Promise<number> {
  const row = await ctx.store.one<{ n: number }>("select cast(count(*) as integer) as n from attachment");
  return row?.n ?? 0;
}

async function filesWithoutRow({ ctx, folder }: Installation): Promise<string[]> {
  const rows = await ctx.store.all<{ id: string }>("select id from attachment where state <> 'missing'");
  const known = new Set(rows.map(({ id }) => id));
  return (await keptIds(folder)).filter((id) => !known.has(id));
}
