import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Overview } from "../../../server/overview/show-overview.ts";
import type { Volume } from "../../../server/overview/show-volume.ts";
import type { ReportDetail } from "../../../server/reports/show-report.ts";
import { subscribe } from "../../support/deliveries.ts";
import { attachment, envelope, received, submit } from "../../support/ingest.ts";
import { answering, Receiver } from "../../support/receiver.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { read, report } from "./pages.ts";

describeTargets(
  "the overview",
  (target) => {
    let admin = "";
    let member = "";
    let receiver: Receiver;
    const path = () => `/internal/projects/${target().installation.made.project.id}`;
    const overview = (cookie = member) => read<Overview>(target(), cookie, `${path()}/overview?range=24h`);
    const ticket = (headers: Record<string, string>, body: unknown) =>
      target().send("/api/v1/tickets", {
        method: "POST",
        headers: {
          authorization: `Bearer ${target().installation.made.apiToken.token}`,
          "content-type": "application/json",
          ...headers,
        },
        body: JSON.stringify(body),
      });
    let eventId = "";

    beforeAll(async () => {
      receiver = await Receiver.listen();
      const { installation } = target();
      admin = (await signIn(target(), "admin")).cookie;
      member = (await signIn(target(), "member")).cookie;
      await subscribe(installation, { url: `${receiver.url()}/secret-path`, types: ["report.received"] });
      const { key } = installation.made.sdkKey;
      const parts = [envelope({ reportId: crypto.randomUUID(), level: "fatal" }), attachment("12345", 0)];
      eventId = (await received(target(), { key, parts })).eventId;
      await received(target(), { key, parts });
      await report(target(), { level: "error" });
      await report(target(), {});
      expect((await submit(target(), { key, parts: [envelope("no json")] })).status).toBe(400);
      expect((await submit(target(), { key: "isk_unknown" })).status).toBe(401);
      const idempotency = { "idempotency-key": "once" };
      expect((await ticket(idempotency, { title: "one" })).status).toBe(201);
      expect((await ticket(idempotency, { title: "one" })).status).toBe(201);
      expect((await ticket(idempotency, { title: "another" })).status).toBe(201);
      expect((await ticket({}, { title: "" })).status).toBe(400);
    });
    afterAll(() => receiver.close());

    test("counts everything once, within a second", async () => {
      const { totals, reports, deliveries, tickets, refused, storage, at } = await until(async () => {
        const now = await overview();
        // Each is counted a moment after its answer, by a write of its own.
        const { tickets, replays, refused } = now.totals;
        const counted = now.deliveries.totals.delivered === 3 && tickets === 1 && replays === 2 && refused === 3;
        return counted ? now : undefined;
      });
      expect(totals).toEqual({
        reports: 3,
        repeats: 1,
        repeatShare: 0.25,
        refused: 3,
        tickets: 1,
        replays: 2,
        mismatches: 1,
      });
      expect(at.length).toBeWithin(96, 98);
      expect(reports.map(({ level, counts }) => [level, counts.length, counts.reduce((a, b) => a + b)])).toEqual([
        ["fatal", at.length, 1],
        ["error", at.length, 1],
        ["none", at.length, 1],
      ]);
      expect(deliveries.totals).toEqual({ delivered: 3, dead: 0, waiting: 0, waitingAtLeast: false });
      expect(deliveries.attempts).toEqual({ accepted: 3, failed: 0 });
      expect(deliveries.firstPostP95Ms).toBeWithin(1, 5_000);
      const { made } = target().installation;
      expect(tickets).toMatchObject([
        { token: { id: made.apiToken.id, revoked: false }, created: 1, replays: 2, mismatches: 1 },
      ]);
      expect(refused).toContainEqual({ api: "ingest", code: "envelope_not_json", count: 1, scope: "project" });
      expect(refused).toContainEqual({ api: "ingest", code: "invalid_sdk_key", count: 1, scope: "installation" });
      expect(refused).toContainEqual({ api: "tickets", code: "invalid_input", count: 1, scope: "installation" });
      expect(storage).toMatchObject({ events: 3, attachmentsBytes: 5 });
      expect(storage.reportsBytes).toBeGreaterThan(3_000);
    });

    test("the volume of reports has bars of its own for each range", async () => {
      for (const [range, seconds, bars] of [
        ["1h", 300, 13],
        ["24h", 900, 97],
        ["7d", 3_600, 169],
        ["30d", 21_600, 121],
      ] as const) {
        const volume = await read<Volume>(target(), member, `${path()}/reports/volume?range=${range}`);
        expect(volume).toMatchObject({ stepSeconds: seconds, total: 3, totalRepeats: 1 });
        expect(volume.at.length).toBeWithin(bars - 1, bars + 1);
        for (const { counts } of volume.levels) expect(counts).toHaveLength(volume.at.length);
      }
    });

    test("suggestions count values among the newest reports", async () => {
      const suggestions = (query: string) => read(target(), member, `${path()}/reports/suggestions?${query}`);
      expect(await suggestions("name=level")).toEqual({
        items: [
          { value: "error", count: 1 },
          { value: "fatal", count: 1 },
        ],
        of: 3,
      });
      expect(await suggestions("name=level&prefix=FA")).toMatchObject({ items: [{ value: "fatal", count: 1 }] });
      expect(await suggestions("name=has&prefix=att")).toMatchObject({ items: [{ value: "attachment", count: 1 }] });
      expect(await suggestions("name=__proto__")).toMatchObject({ items: [] });
      expect(await suggestions("name=tag.__proto__")).toMatchObject({ items: [] });
    });

    test("members see how a report was delivered, and admins where to and what was answered", async () => {
      const [shown] = (await read<ReportDetail>(target(), member, `/internal/reports/${eventId}`)).deliveries;
      expect(shown).toMatchObject({ name: URL.parse(receiver.url())?.host ?? "", state: "delivered", attempts: 1 });
      expect(shown?.firstPostMs).toBeWithin(0, 5_000);
      expect(JSON.stringify(shown)).not.toContain("secret-path");
      const [whole] = (await read<ReportDetail>(target(), admin, `/internal/reports/${eventId}`)).deliveries;
      expect(whole).toMatchObject({
        url: `${receiver.url()}/secret-path`,
        tries: [{ status: 200, ms: expect.any(Number) }],
      });
    });

    test("open pages are told of a report and of its repeat, by id alone", async () => {
      const live = await target().send("/internal/live", { headers: { cookie: member } });
      const { made } = target().installation;
      const parts = [envelope({ reportId: crypto.randomUUID(), title: "not told" })];
      const { eventId: id } = await received(target(), { key: made.sdkKey.key, parts });
      const told = JSON.stringify({ kind: "report", id, in: made.project.id });
      let text = "";
      for await (const chunk of live.body ?? []) {
        text += new TextDecoder().decode(chunk);
        if (text.includes(told)) break;
      }
      expect(text).toContain(told);
      expect(text).not.toContain("not told");
    });

    test("storage is told to everybody who is signed in", async () => {
      expect(await read<object>(target(), member, "/internal/storage")).toEqual({
        usedBytes: expect.any(Number),
        freeBytes: expect.any(Number),
        limitBytes: expect.any(Number),
        low: false,
        trouble: null,
      });
    });

    test("success counts attempts: what fails and waits is not left out", async () => {
      receiver.behave = answering("500 Internal Server Error", [], "");
      await report(target(), {});
      const { attempts, totals } = await until(async () => {
        const { deliveries } = await overview();
        return deliveries.attempts.failed > 0 ? deliveries : undefined;
      });
      expect(attempts.accepted).toBe(totals.delivered);
      expect(attempts.accepted).toBeGreaterThanOrEqual(3);
    });

    test("of a project that is none there is none", async () => {
      for (const more of ["overview", "reports/volume", "reports/suggestions?name=level"]) {
        const response = await target().send(`/internal/projects/${crypto.randomUUID()}/${more}`, {
          headers: { cookie: member },
        });
        expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([404, "not_found"]);
      }
    });
  },
  ["in process", "over loopback"],
);
