import { beforeAll, beforeEach, expect, test } from "bun:test";
import { limits } from "../../../openapi/schema/limits.ts";
import type { ActivityEntry } from "../../../server/activity/activity.ts";
import type { CreatedProject } from "../../../server/boards/create-project.ts";
import type { Page } from "../../../server/core/page.ts";
import { setSetting } from "../../../server/core/settings.ts";
import type { CardSummary } from "../../../server/tickets/card-summary.ts";
import type { CardDetail } from "../../../server/tickets/show-card.ts";
import { describeTargets } from "../../support/targets.ts";
import { newToken, post } from "../../support/tickets.ts";
import { until } from "../../support/until.ts";
import { asMember, newOp } from "./as-member.ts";

const hostile = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "[x](javascript:alert(1)) ![](https://example.com/a.png)",
  "\u202Ereversed\u202C \u0000".slice(0, -1),
  "W".repeat(limits.titleMax),
  "𝒳".repeat(limits.titleMax),
  " ",
  "2026-11-21T10:00:00.000Z",
];

describeTargets(
  "cards",
  (target) => {
    let member: Awaited<ReturnType<typeof asMember>>;
    let admin: Awaited<ReturnType<typeof asMember>>;
    let columns: string[];

    beforeAll(async () => {
      [member, admin] = await Promise.all([asMember(target()), asMember(target(), "admin")]);
    });
    beforeEach(async () => {
      const made = await admin.post<CreatedProject>("/projects", { name: "Project" });
      columns = made.columns.map(({ id }) => id);
    });

    const create = (fields: object = {}) =>
      member.post<CardSummary>("/cards", { op: newOp(), columnId: columns[0], title: "A card", ...fields });
    const bulk = (ids: string[], change: object) =>
      member.post<{ done: string[]; failed: { id: string; error: string }[] }>("/cards/bulk", { ids, change });
    const show = (id: string) => member.get<CardDetail>(`/cards/${id}`);
    const change = (id: string, body: object) => member.patch<CardDetail>(`/cards/${id}`, body);
    const list = async (column: string | undefined, query = "") =>
      (await member.get<Page<CardSummary>>(`/columns/${column}/cards${query}`)).items;
    const kindsOf = ({ activity }: CardDetail) => activity.map(({ kind }) => kind);

    test("made by a person: on top of its column, with its author, and once for one op", async () => {
      const op = newOp();
      const first = await create({ op, title: "First" });
      expect(await create({ op, title: "Again" })).toEqual(first);
      await create({ title: "Second" });
      expect(first).toMatchObject({
        title: "First",
        columnId: columns[0],
        priority: "none",
        author: { kind: "member", id: member.id, name: "member" },
        assignee: null,
        run: null,
        moves: 0,
      });
      expect((await list(columns[0])).map(({ title }) => title)).toEqual(["Second", "First"]);
      await admin.post("/cards", { op, columnId: columns[0], title: "Of somebody else" }, 409);
    });

    test("the limits and refusals of the API hold for people too", async () => {
      const wrong: [object, string, string?][] = [
        [{ title: "" }, "invalid_input", "too_short"],
        [{ title: "x".repeat(201) }, "invalid_input", "too_long"],
        [{ title: 5 }, "invalid_input", "wrong_type"],
        [{ title: "\u0000" }, "invalid_input", "bad_characters"],
        [{ description: "x".repeat(20_001) }, "invalid_input", "too_long"],
        [{ priority: "urgent" }, "invalid_input", "bad_value"],
        [{ dueAt: "2026-02-29" }, "invalid_input", "bad_format"],
        [{ colour: "red" }, "invalid_input", "unknown_field"],
        [{ title: { deep: [] } }, "invalid_input"],
        [{ op: "x" }, "invalid_input", "bad_format"],
        [{ after: "first" }, "invalid_input"],
        [{ startsAt: "2026-11-22", dueAt: "2026-11-21" }, "invalid_date_range"],
        [{ assigneeUserId: newOp() }, "not_a_member"],
        [{ agentRepositoryId: newOp() }, "invalid_agent_repository"],
      ];
      for (const [fields, error, code] of wrong) {
        const answer = await create(fields).catch((refused: Error) => refused.message);
        expect(answer).toContain(`400 {"error":"${error}"`);
        if (code) expect(answer).toContain(`"code":"${code}"`);
      }
      await member.post("/cards", { op: newOp(), columnId: newOp(), title: "x" }, 404);
      expect(await list(columns[0])).toEqual([]);
    });

    test("whatever text it is, it is kept as it was typed", async () => {
      for (const text of hostile) {
        const { id } = await create({ title: text, description: text.repeat(3) });
        expect(await show(id)).toMatchObject({ title: text, description: text.repeat(3) });
        if (text.trim() === "") continue;
        await member.post(`/cards/${id}/comments`, { op: newOp(), text });
        const { activity } = await show(id);
        expect(activity[0]).toMatchObject({ kind: "commented", detail: { text, mentions: [] } });
      }
    });

    test("a text that somebody else has saved meanwhile is shown, not overwritten", async () => {
      const { id } = await create({ title: "Old" });
      await admin.patch(`/cards/${id}`, { version: 1, title: "Theirs", description: "Their text" });
      const refused = await member.patch(`/cards/${id}`, { version: 1, title: "Mine" }, 409);
      expect(refused).toMatchObject({
        error: "conflict",
        theirs: { title: "Theirs", description: "Their text", version: 2 },
      });
      await member.patch(`/cards/${id}`, { title: "Without a version" }, 400);
      expect(await show(id)).toMatchObject({ title: "Theirs", version: 2 });

      const kept = await change(id, { version: 2, title: "Mine" });
      expect(kept).toMatchObject({ title: "Mine", description: "Their text", version: 3 });
      // The call is sent again because its answer was lost.
      expect(await change(id, { version: 2, title: "Mine" })).toMatchObject({ version: 3 });
      const emptied = await change(id, { version: 3, description: "" });
      expect(emptied).toMatchObject({ description: null, version: 4 });
      expect(kindsOf(emptied)).toEqual(["edited", "edited", "edited", "edited", "created"]);
      expect(emptied.activity[1]?.detail).toEqual({ field: "title", from: "Theirs", to: "Mine" });
    });

    test("of two edits of one text at the same time one holds and the other is told", async () => {
      const { id } = await create();
      const edits = await Promise.all(
        ["One", "Two", "Three"].map((title) =>
          change(id, { version: 1, title }).then(
            () => title,
            () => undefined,
          ),
        ),
      );
      const [winner] = edits.filter((title) => title !== undefined);
      expect(edits.filter((title) => title !== undefined)).toHaveLength(1);
      expect(await show(id)).toMatchObject({ title: winner, version: 2 });
    });

    test("other fields are written one by one, the last one holds, and texts keep their version", async () => {
      const { id } = await create({ startsAt: "2026-11-01" });
      await Promise.all([
        change(id, { priority: "high" }),
        admin.patch(`/cards/${id}`, { dueAt: "2026-12-01" }),
        change(id, { assigneeUserId: admin.id }),
      ]);
      const card = await show(id);
      expect(card).toMatchObject({ priority: "high", dueAt: "2026-12-01", startsAt: "2026-11-01", version: 1 });
      expect(card.assignee).toEqual({ id: admin.id, name: "admin", kind: "member", removed: false });
      await member.patch(`/cards/${id}`, { dueAt: "2026-10-01" }, 400);
      await change(id, { startsAt: null, dueAt: "2026-10-01", assigneeUserId: null });
      expect(await show(id)).toMatchObject({ startsAt: null, dueAt: "2026-10-01", assignee: null });
      // Without a change no open page is notified.
      const before = await change(id, { priority: "high" });
      expect(before.activity).toHaveLength((await show(id)).activity.length);
    });

    test("comments: in order, once for one op, mentioning members and never tokens", async () => {
      const { id } = await create();
      const token = await newToken(target().installation);
      const op = newOp();
      const body = { op, text: "Look at this, @admin", mentions: [admin.id, admin.id] };
      const first = await member.post<ActivityEntry>(`/cards/${id}/comments`, body);
      expect(first).toMatchObject({
        kind: "commented",
        actor: { kind: "member", id: member.id, name: "member" },
        detail: { text: body.text, mentions: [{ id: admin.id, name: "admin" }] },
      });
      expect(await member.post<ActivityEntry>(`/cards/${id}/comments`, body)).toEqual(first);
      await member.post(`/cards/${id}/comments`, { op: newOp(), text: "x", mentions: [token.id] }, 400);
      await member.post(`/cards/${id}/comments`, { op: newOp(), text: "  \n" }, 400);
      await member.post(`/cards/${id}/comments`, { op: newOp(), text: "x".repeat(20_001) }, 400);
      const longest = "𝒳".repeat(20_000);
      await member.post(`/cards/${id}/comments`, { op: newOp(), text: longest });
      const { activity } = await show(id);
      expect(activity.map(({ detail }) => (detail as { text: string } | null)?.text)).toEqual([
        longest,
        body.text,
        undefined,
      ]);
    });

    test("a long history comes in pages, newest first, without gap or repeat", async () => {
      const { id } = await create();
      for (let i = 0; i < 70; i++) await member.post(`/cards/${id}/comments`, { op: newOp(), text: `${i}` });
      const card = await show(id);
      const rest = await member.get<Page<ActivityEntry>>(`/cards/${id}/activity?cursor=${card.activityNext}`);
      const numbers = [...card.activity, ...rest.items].map(({ number }) => number);
      expect(numbers).toEqual(Array.from({ length: 71 }, (_, i) => 71 - i));
      expect(rest.next).toBeNull();
    });

    test("archived: off the board, with its link; back in the place that it had", async () => {
      const [a, b] = [await create({ title: "a" }), await create({ title: "b" })];
      await create({ title: "c" });
      const titles = async (query = "") => (await list(columns[0], query)).map(({ title }) => title);
      await member.post(`/cards/${b.id}/archive`, {});
      await member.post(`/cards/${b.id}/archive`, {}, 409);
      expect([await titles(), await titles("?state=archived")]).toEqual([["c", "a"], ["b"]]);
      const away = await show(b.id);
      expect([away.archivedAt !== null, away.place]).toEqual([true, null]);
      await member.patch(`/cards/${b.id}`, { priority: "low" }, 409);
      await member.post(`/cards/${b.id}/move`, { columnId: columns[1], after: null, op: newOp() }, 409);
      await member.post(`/cards/${b.id}/unarchive`, {});
      expect(await titles()).toEqual(["c", "b", "a"]);
      expect((await show(a.id)).place).toEqual({ index: 3, of: 3 });
    });

    test("deleted: gone from lists, restored by anybody for 30 days, then gone for good", async () => {
      const { id } = await create();
      await member.delete(`/cards/${id}`);
      await member.delete(`/cards/${id}`, 409);
      expect(await list(columns[0])).toEqual([]);
      const gone = await show(id);
      expect(gone.deleted?.by).toMatchObject({ kind: "member", name: "member" });
      const { at = "", restorableUntil = "" } = gone.deleted ?? {};
      expect((Date.parse(restorableUntil) - Date.parse(at)) / 86_400_000).toBe(limits.restoreDays);
      await member.post(`/cards/${id}/comments`, { op: newOp(), text: "x" }, 409);
      await admin.post(`/cards/${id}/restore`, {});
      expect(await list(columns[0])).toHaveLength(1);
      expect(kindsOf(await show(id))).toEqual(["restored", "deleted", "created"]);

      await member.delete(`/cards/${id}`);
      const { store } = target().installation.ctx;
      const long = Date.now() - limits.restoreDays * 86_400_000;
      await store.write((tx) => tx.run("update ticket set deleted_at = $2 where id = $1", [id, long]));
      await member.post(`/cards/${id}/restore`, {}, 404);
      await until(
        async () => (await store.one("select id from ticket where id = $1", [id])) === undefined || undefined,
      );
      await member.get(`/cards/${id}`, 404);
    }, 180_000);

    test("several at once: each by itself, and what cannot be done is told", async () => {
      const ids: string[] = [];
      for (const title of ["a", "b", "c"]) ids.push((await create({ title, after: "last" })).id);
      const absent = newOp();
      const top = { kind: "move", columnId: columns[2], after: null };
      const moved = await bulk([...ids, absent], top);
      expect(moved.failed).toMatchObject([{ id: absent, error: "not_found" }]);
      expect((await list(columns[2])).map(({ id }) => id)).toEqual(ids);
      const set = { kind: "set", fields: { priority: "high", assigneeUserId: member.id } };
      expect((await bulk(ids, set)).done).toHaveLength(3);
      await bulk(ids.slice(0, 1), { kind: "archive" });
      const again = await bulk(ids, { kind: "archive" });
      expect([again.done.length, again.failed.length]).toEqual([2, 1]);
      await member.post("/cards/bulk", { ids, change: { kind: "set", fields: { title: "All alike" } } }, 400);
      await member.post("/cards/bulk", { ids: Array.from({ length: 201 }, newOp), change: { kind: "delete" } }, 400);
    });

    test("from a token: a receipt with the name of then and now, and how often it was replayed", async () => {
      const token = await newToken(target().installation, { name: "CI" });
      const send = (body: object) => post(target(), { token: token.token, key: "build-1", body });
      const ticket = (await (await send({ title: "Red" })).json()) as { id: string };
      await send({ title: "Red" });
      await send({ title: "Other" });
      await admin.patch(`/tokens/${token.id}`, { name: "CI main" });
      await until(async () => (await show(ticket.id)).receipt?.replays === 2 || undefined);
      const card = await show(ticket.id);
      expect(card.author).toEqual({ kind: "token", id: token.id, name: "CI" });
      expect(card.receipt).toEqual({
        at: card.createdAt,
        token: {
          id: token.id,
          nameThen: "CI",
          nameNow: "CI main",
          fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
          revokedAt: null,
        },
        key: null,
        keySet: true,
        replays: 2,
        mismatches: 1,
      });
      expect((await admin.get<CardDetail>(`/cards/${ticket.id}`)).receipt?.key).toBe("build-1");
      await admin.delete(`/tokens/${token.id}`);
      expect((await show(ticket.id)).receipt?.token.revokedAt).not.toBeNull();
      expect(JSON.stringify(card)).not.toContain(token.token);
    });

    test("the agent: assigning queues a run, taking the card back cancels it, and an admin may keep that to admins", async () => {
      const { agent } = target().installation.made;
      const { id } = await create();
      const queued = await change(id, { assigneeUserId: agent.id });
      expect(queued.assignee).toMatchObject({ kind: "agent" });
      expect(queued.run).toMatchObject({ state: "waiting", reason: "no_repository" });
      expect(kindsOf(queued)).toEqual(["run_queued", "assigned", "created"]);
      const again = await change(id, { assigneeUserId: agent.id });
      expect(again.run?.id).toBe(queued.run?.id);
      const back = await change(id, { assigneeUserId: null });
      expect(back.run).toMatchObject({ id: queued.run?.id, state: "cancelled" });

      const { ctx } = target().installation;
      await setSetting({ ctx, input: { name: "run_starters", value: "admins" } });
      try {
        await member.patch(`/cards/${id}`, { assigneeUserId: agent.id }, 403);
        expect(await show(id)).toMatchObject({ assignee: null, mayStartRuns: false });
        await create({ assigneeUserId: agent.id }).then(
          () => expect.unreachable(),
          (refused: Error) => expect(refused.message).toContain("403"),
        );
        const { failed } = await bulk([id], { kind: "set", fields: { assigneeUserId: agent.id } });
        expect(failed).toMatchObject([{ error: "permission_denied" }]);
        const theirs = await admin.patch<CardDetail>(`/cards/${id}`, { assigneeUserId: agent.id });
        await member.patch(`/cards/${id}`, { assigneeUserId: null }, 403);
        await member.post(`/runs/${theirs.run?.id}/cancel`, {}, 403);
        expect((await admin.get<CardDetail>(`/cards/${id}`)).run?.state).toBe("waiting");
      } finally {
        await setSetting({ ctx, input: { name: "run_starters", value: "" } });
      }
    });

    test("ids of nothing, of another kind and of a deleted project are answered alike", async () => {
      const { id } = await create();
      const { board, project } = await show(id);
      const absent = await member.get(`/cards/${newOp()}`, 404);
      expect(absent.error).toBe("not_found");
      expect((await member.get(`/cards/${board.id}`, 404)).error).toBe("not_found");
      await admin.delete(`/projects/${project.id}`);
      expect((await member.get(`/cards/${id}`, 404)).error).toBe("not_found");
      await member.get(`/boards/${board.id}`, 404);
      await member.patch(`/cards/${id}`, { priority: "low" }, 404);
      const { store } = target().installation.ctx;
      await until(
        async () => (await store.one("select id from project where id = $1", [project.id])) === undefined || undefined,
      );
    }, 180_000);
  },
  ["in process", "compiled binary"],
);
