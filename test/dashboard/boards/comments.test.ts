import { beforeAll, beforeEach, expect, test } from "bun:test";
import { limits } from "../../../openapi/schema/limits.ts";
import type { ActivityEntry } from "../../../server/activity/activity.ts";
import type { CardSummary } from "../../../server/tickets/card-summary.ts";
import type { CardDetail } from "../../../server/tickets/show-card.ts";
import { call } from "../../support/call.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { asMember, newOp } from "./as-member.ts";

describeTargets(
  "comments of a card",
  (target) => {
    let author: Awaited<ReturnType<typeof asMember>>;
    let other: Awaited<ReturnType<typeof asMember>>;
    let admin: Awaited<ReturnType<typeof asMember>>;
    let card: string;

    beforeAll(async () => {
      [author, other, admin] = await Promise.all([asMember(target()), asMember(target()), asMember(target(), "admin")]);
    });
    beforeEach(async () => {
      const columnId = target().installation.made.columns[0]?.id;
      ({ id: card } = await author.post<CardSummary>("/cards", { op: newOp(), columnId, title: "A card" }));
    });

    /** The path of a comment that the author has just created. */
    async function comment(text = "First words", mentions: string[] = []): Promise<string> {
      const { number } = await author.post<ActivityEntry>(`/cards/${card}/comments`, { op: newOp(), text, mentions });
      return `/cards/${card}/comments/${number}`;
    }
    const show = () => author.get<CardDetail>(`/cards/${card}`);
    const entryOf = async (path: string) =>
      (await show()).activity.find(({ number }) => path.endsWith(`/${number}`)) as ActivityEntry;

    test("the author edits one: the new text and who it names now, since when, and not what it said before", async () => {
      const path = await comment("Look at this, @admin", [admin.id]);
      const before = await entryOf(path);
      const edited = await author.patch<ActivityEntry>(path, { text: "Look at that, @member", mentions: [other.id] });
      expect(edited).toEqual({
        ...before,
        detail: {
          text: "Look at that, @member",
          mentions: [{ id: other.id, name: "member" }],
          editedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
      });
      expect(await entryOf(path)).toEqual(edited);
      // In its place, and said by itself.
      expect((await show()).activity.map(({ kind }) => kind)).toEqual(["commented", "created"]);
      const { store } = target().installation.ctx;
      expect(JSON.stringify(await store.all("select * from activity"))).not.toContain("Look at this");
    });

    test("saving the same text again, or sending it twice, edits nothing", async () => {
      const path = await comment();
      expect(await author.patch<ActivityEntry>(path, { text: "First words" })).toEqual(await entryOf(path));
      const once = await author.patch<ActivityEntry>(path, { text: "Other words" });
      expect(await author.patch<ActivityEntry>(path, { text: "Other words" })).toEqual(once);
    });

    test("nobody else edits it, not even an admin", async () => {
      const path = await comment();
      for (const somebody of [other, admin]) {
        expect((await somebody.patch(path, { text: "Never said" }, 403)).error).toBe("permission_denied");
      }
      expect((await entryOf(path)).detail).toEqual({ text: "First words", mentions: [] });
    });

    test("an edited text has the bounds of a new one", async () => {
      const path = await comment();
      for (const text of ["", "  \n", "x".repeat(limits.commentMax + 1), "\u0000"]) {
        expect((await author.patch(path, { text }, 400)).error).toBe("invalid_input");
      }
      await author.patch(path, { text: "x", mentions: [crypto.randomUUID()] }, 400);
      await author.patch(path, { text: "𝒳".repeat(limits.commentMax) });
    });

    test("the author or an admin deletes one: who and when stay, the words do not", async () => {
      for (const [somebody, name] of [
        [author, "member"],
        [admin, "admin"],
      ] as const) {
        const path = await comment("A slip of the tongue");
        await other.delete(path, 403);
        const gone = await somebody.delete<ActivityEntry>(path);
        const by = { kind: "member", id: somebody.id, name };
        expect(gone).toMatchObject({ kind: "commented", actor: { id: author.id } });
        const { deleted } = gone.detail as { deleted: { at: string; restorableUntil: string } };
        expect(deleted).toEqual({ at: expect.any(String), by, restorableUntil: expect.any(String) } as never);
        const days = (Date.parse(deleted.restorableUntil) - Date.parse(deleted.at)) / 86_400_000;
        expect(days).toBe(limits.restoreDays);
        const [told] = (await show()).activity;
        expect(told).toMatchObject({ kind: "comment_deleted", actor: by, detail: { author: { id: author.id } } });
        expect(JSON.stringify(await show())).not.toContain("slip");
        await author.patch(path, { text: "Back" }, 409);
        await somebody.delete(path, 409);
      }
    });

    test("it is restored as it was by whoever deleted it or an admin, and that is told too", async () => {
      const path = await comment("Kept", [other.id]);
      await author.patch(path, { text: "Kept and edited" });
      const before = await entryOf(path);
      await author.post(`${path}/restore`, {}, 409);
      await author.delete(path);
      expect(await author.post<ActivityEntry>(`${path}/restore`, {})).toEqual(before);
      await admin.delete(path);
      // The author cannot restore a comment that an admin deleted.
      expect((await author.post(`${path}/restore`, {}, 403)).error).toBe("permission_denied");
      await admin.post(`${path}/restore`, {});
      const kinds = (await show()).activity.map(({ kind, actor }) => `${kind} ${actor.name}`);
      expect(kinds.slice(0, 4)).toEqual([
        "comment_restored admin",
        "comment_deleted admin",
        "comment_restored member",
        "comment_deleted member",
      ]);
    });

    test("after the days in which it can be restored its words are gone from the database", async () => {
      const { store } = target().installation.ctx;
      const path = await comment("Forgotten words");
      await author.delete(path);
      const kept = () => store.all("select number from deleted_comment where ticket_id = $1", [card]);
      expect(await kept()).toHaveLength(1);
      const long = Date.now() - limits.restoreDays * 86_400_000;
      await store.write((tx) =>
        tx.run("update deleted_comment set deleted_at = $2 where ticket_id = $1", [card, long]),
      );
      await author.post(`${path}/restore`, {}, 404);
      await until(async () => ((await kept()).length === 0 ? true : undefined));
    });

    test("only comments, of this card, which is not deleted", async () => {
      const path = await comment();
      for (const wrong of ["1", "99", "0", "-1", "1e3", "2.5", "x", "9".repeat(30)]) {
        const address = `/cards/${card}/comments/${wrong}`;
        await author.patch(address, { text: "x" }, 404);
        await author.delete(address, 404);
        await author.post(`${address}/restore`, {}, 404);
      }
      const cookie = { cookie: author.cookie };
      const elsewhere = path.replace(card, crypto.randomUUID());
      expect((await call(target(), "DELETE", `/internal${elsewhere}`, cookie)).status).toBe(404);
      await author.delete(`/cards/${card}`);
      await author.patch(path, { text: "x" }, 409);
      await author.delete(path, 409);
    });
  },
  ["over loopback", "compiled binary"],
);
