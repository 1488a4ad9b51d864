import { afterAll, expect, test } from "bun:test";
import { envelope, newSdkKey, submit } from "../../support/ingest.ts";
import { answering, type Behaviour, Receiver } from "../../support/receiver.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { callInternal } from "./call-internal.ts";

interface Made {
  id: string;
  secret: string;
}

const absent = "0198c0de-0000-7000-8000-00000000dead";
const receivers: Receiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

describeTargets(
  "settings: subscribers",
  (target) => {
    async function admin() {
      const { cookie } = await signIn(target(), "admin");
      const call = (method: string, path: string, body?: unknown) => callInternal(target(), cookie, method, path, body);
      return { cookie, call };
    }

    async function subscriber(behave?: Behaviour, more: object = {}) {
      const receiver = await Receiver.listen(behave ? { behave } : {});
      receivers.push(receiver);
      const { call } = await admin();
      const projectId = target().installation.made.project.id;
      const url = `${receiver.url()}?token=s3cret`;
      const made = (await call("POST", "/internal/subscribers", { projectId, url, ...more })) as unknown as Made;
      const at = `/internal/subscribers/${made.id}`;
      return { ...made, receiver, call, at, url };
    }

    async function report() {
      const { key } = await newSdkKey(target().installation);
      const response = await submit(target(), {
        key,
        parts: [envelope({ id: crypto.randomUUID(), title: "It broke" })],
      });
      return ((await response.json()) as { eventId: string }).eventId;
    }

    /** The only delivery, once it has the expected state. */
    function delivery(call: Awaited<ReturnType<typeof admin>>["call"], at: string, state: string) {
      return until(async () => {
        const [item] = (await call("GET", `${at}/deliveries`))["items"] as Record<string, unknown>[];
        return item?.["state"] === state && item["last"] !== null ? item : undefined;
      });
    }

    test("a member sees name, host and state, and nothing of the address", async () => {
      const { id, url, receiver } = await subscriber(undefined, {
        name: "Crash triage",
        headers: "X-Team: very-secret",
      });
      const { cookie } = await signIn(target(), "member");
      const { items } = await callInternal(target(), cookie, "GET", "/internal/subscribers");
      const shown = (items as Made[]).find((one) => one.id === id);
      expect(shown).toEqual({
        id,
        name: "Crash triage",
        host: new URL(url).host,
        projectId: target().installation.made.project.id,
        projectName: "First project",
        subscriberStatus: "active",
      } as never);
      expect(receiver.requests).toHaveLength(0);
    });

    test("an address is checked when it is saved", async () => {
      const { call } = await admin();
      for (const url of ["ftp://example.org", "https://10.0.0.7/hook", "https://u:p@example.org", "nonsense"]) {
        const refused = await call("POST", "/internal/subscribers", { projectId: null, url });
        expect(refused).toMatchObject({
          status: 400,
          error: "invalid_input",
          message: expect.stringContaining("address"),
        });
      }
      for (const more of [
        { types: ["other"] },
        { headers: "Host: x" },
        { name: " " },
        { colour: 1 },
        { projectId: "x" },
      ]) {
        const body = { projectId: null, url: "http://127.0.0.1:9/", ...more };
        expect(await call("POST", "/internal/subscribers", body)).toMatchObject({
          status: 400,
          error: "invalid_input",
        });
      }
      const lost = { projectId: absent, url: "http://127.0.0.1:9/" };
      expect(await call("POST", "/internal/subscribers", lost)).toMatchObject({ status: 404 });
    });

    test("what was sent is shown as it was sent, and how it was answered", async () => {
      const { id, call, at, receiver } = await subscriber(answering("202 Accepted", [], "thanks"));
      const eventId = await report();
      const { id: deliveryId } = await delivery(call, at, "delivered");
      const shown = await call("GET", `${at}/deliveries/${deliveryId}`);
      const [sent] = receiver.requests;
      expect(shown).toMatchObject({
        messageId: eventId,
        eventId,
        title: "It broke",
        type: "report.received",
        state: "delivered",
        nextAt: null,
        request: { target: "/hook?token=s3cret", body: sent?.body.toString(), bytes: sent?.body.length },
        attempts: [{ number: 1, status: 202, error: null, answer: "thanks" }],
      });
      const [attempt] = shown["attempts"] as { signed: Record<string, string> }[];
      // The second may have turned between the start of the attempt and its signature.
      expect(attempt?.signed["webhook-id"]).toBe(eventId);
      const timeline = shown["retryTimeline"] as { state: string }[];
      expect([timeline.length, timeline[0]?.state, timeline[1]?.state]).toEqual([10, "accepted", "planned"]);
      const found = async (text: string) =>
        ((await call("GET", `${at}/deliveries?text=${text}`))["items"] as unknown[]).length;
      expect([await found(eventId), await found(String(deliveryId)), await found(absent), await found("x")]).toEqual([
        1, 1, 0, 0,
      ]);
      const count = async (state: string) =>
        ((await call("GET", `${at}/deliveries?state=${state}`))["items"] as unknown[]).length;
      expect([await count("delivered"), await count("waiting"), await count("dead")]).toEqual([1, 0, 0]);
      expect(await call("GET", at)).toMatchObject({ id, subscriberStatus: "active", waiting: 0, dead: 0, failures: 0 });
    });

    test("one that failed waits with its next times, and goes out at once on demand", async () => {
      const { call, at, receiver } = await subscriber(answering("500 Internal Server Error", [], "<b>no</b>"));
      await report();
      const waiting = await delivery(call, at, "waiting");
      const shown = await call("GET", `${at}/deliveries/${waiting["id"]}`);
      const timeline = shown["retryTimeline"] as { state: string; at: string }[];
      expect(timeline.slice(0, 3).map(({ state }) => state)).toEqual(["failed", "next", "planned"]);
      expect(timeline[1]?.at).toBe(shown["nextAt"] as string);
      const times = timeline.map(({ at }) => Date.parse(at));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(Date.parse(timeline[9]?.at ?? "") - Date.parse(timeline[0]?.at ?? "")).toBeGreaterThan(70 * 3_600_000);
      receiver.behave = answering("200 OK", [], "");
      expect(await call("POST", `${at}/deliveries/${waiting["id"]}/replay`, {})).toMatchObject({ replayed: 1 });
      await delivery(call, at, "delivered");
    });

    test("one that backs off says so, and is probed on demand", async () => {
      const { id, call, at, receiver } = await subscriber(answering("500 Internal Server Error", [], ""));
      const { ctx } = target().installation;
      await report();
      await delivery(call, at, "waiting");
      expect(await call("POST", `${at}/probe`, {})).toMatchObject({ status: 409 });
      await ctx.store.write((tx) =>
        tx.run("update subscriber set failures = 5, failing_since = $2, openings = 1, open_until = $3 where id = $1", [
          id,
          ctx.now(),
          ctx.now() + 500_000,
        ]),
      );
      const shown = await call("GET", at);
      expect(shown).toMatchObject({ subscriberStatus: "backing_off", failures: 5, waiting: 1 });
      expect(Date.parse(shown["nextProbeAt"] as string)).toBeGreaterThan(ctx.now() + 400_000);
      expect(Date.parse(shown["disabledAt"] as string)).toBeGreaterThan(ctx.now() + 119 * 3_600_000);
      receiver.behave = answering("200 OK", [], "");
      expect(await call("POST", `${at}/probe`, {})).toMatchObject({ status: 200, id });
      await delivery(call, at, "delivered");
      expect(await call("GET", at)).toMatchObject({ subscriberStatus: "active", failures: 0, nextProbeAt: null });
    });

    test("it is paused, resumed, edited, tested and removed", async () => {
      const { id, call, at, receiver, url } = await subscriber();
      await call("POST", `${at}/pause`, {});
      expect(await call("GET", at)).toMatchObject({ subscriberStatus: "paused", pausedBy: { name: "admin" } });
      expect(await call("POST", `${at}/enable`, {})).toMatchObject({ status: 409 });
      await call("POST", `${at}/resume`, {});
      expect(await call("PATCH", at, { url: `${url}&v=2`, name: "Renamed", reportTypes: ["crash"] })).toMatchObject({
        id,
      });
      expect(await call("GET", at)).toMatchObject({ url: `${url}&v=2`, name: "Renamed", reportTypes: ["crash"] });
      await call("PATCH", at, { name: null });
      expect(await call("GET", at)).toMatchObject({ name: new URL(url).host });
      expect(await call("POST", `${at}/test`, {})).toMatchObject({ accepted: true, status: 200, answer: "thanks" });
      expect(receiver.requests.at(-1)?.body.toString()).toContain("webhook.test");
      expect(await call("DELETE", at)).toMatchObject({ id });
      for (const path of [at, `${at}/deliveries`, `${at}/replay?since=2026-01-01T00:00:00Z`]) {
        expect(await call("GET", path)).toMatchObject({ status: 404, error: "not_found" });
      }
    });

    test("all that were given up go out again, counted before", async () => {
      const { id, call, at, receiver } = await subscriber(answering("500 Internal Server Error", [], ""));
      const { ctx } = target().installation;
      await report();
      const waiting = await delivery(call, at, "waiting");
      const since = new Date(ctx.now() - 1_000).toISOString();
      await ctx.store.write((tx) =>
        tx.run("update delivery set state = 'dead', ended_at = $2 where id = $1", [waiting["id"] as string, ctx.now()]),
      );
      receiver.behave = answering("200 OK", [], "");
      expect(await call("GET", `${at}/replay?since=${since}`)).toMatchObject({
        preview: { count: 1, more: false },
        progress: null,
      });
      const later = new Date(ctx.now() + 60_000).toISOString();
      expect(await call("GET", `${at}/replay?since=${later}`)).toMatchObject({ preview: { count: 0 } });
      expect(await call("POST", `${at}/replay`, { since: "yesterday" })).toMatchObject({ status: 400 });
      expect(await call("POST", `/internal/subscribers/${absent}/replay`, { since })).toMatchObject({ status: 404 });
      expect(await call("POST", `${at}/replay`, { since })).toMatchObject({ state: "running", since });
      await delivery(call, at, "delivered");
      const { progress } = await until(async () => {
        const found = await call("GET", `${at}/replay`);
        return (found["progress"] as { state: string }).state === "running" ? undefined : found;
      });
      expect(progress).toMatchObject({ state: "done", replayed: 1 });
      const audited = await ctx.store.all(
        "select action from audit where object = $1 and action = 'subscriber.replay'",
        [`subscriber ${id}`],
      );
      expect(audited).toHaveLength(1);
    });

    test("what was missed is counted, and sent when the subscriber is enabled", async () => {
      const { id, call, at, receiver } = await subscriber();
      const { ctx } = target().installation;
      await ctx.store.write((tx) => tx.run("update subscriber set state = 'disabled' where id = $1", [id]));
      const since = new Date(ctx.now()).toISOString();
      const eventId = await report();
      expect(await call("GET", `${at}/missed?since=${since}`)).toMatchObject({ count: 1, more: false });
      expect(await call("GET", `${at}/missed?since=soon`)).toMatchObject({ status: 400 });
      expect(await call("POST", `${at}/enable`, { since: "soon" })).toMatchObject({ status: 400 });
      const future = "2999-01-01T00:00:00Z";
      expect(await call("GET", `${at}/missed?since=${future}`)).toMatchObject({ status: 400 });
      expect(await call("POST", `${at}/enable`, { since: future })).toMatchObject({ status: 400 });
      expect(await call("GET", `/internal/subscribers/${absent}/missed?since=${since}`)).toMatchObject({ status: 404 });
      expect(await call("POST", `${at}/enable`, { since })).toMatchObject({ id });
      await receiver.until(({ requests }) => requests.length === 1);
      expect(receiver.requests[0]?.headers.get("webhook-id")).toBe(eventId);
      const { progress } = await until(async () => {
        const found = await call("GET", `${at}/replay`);
        return (found["progress"] as { state: string }).state === "running" ? undefined : found;
      });
      expect(progress).toMatchObject({ of: "missed", state: "done", replayed: 1, since });
      expect(await call("GET", `${at}/missed?since=${since}`)).toMatchObject({ count: 0, more: false });
      // A plain one is still there for those that have missed nothing.
      expect(await call("POST", `${at}/enable`, {})).toMatchObject({ status: 409 });
      const row = await ctx.store.one<{ change: string }>(
        "select after as change from audit where object = $1 and action = 'subscriber.enable'",
        [`subscriber ${id}`],
      );
      expect(row?.change).toContain(since);
    });
  },
  ["over loopback"],
);
