import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { CreatedProject } from "../../../server/boards/create-project.ts";
import { createKey } from "../../../server/credentials/create-key.ts";
import type { Hit, HitGroup } from "../../../server/search/hit.ts";
import type { CardSummary } from "../../../server/tickets/card-summary.ts";
import { describeTargets } from "../../support/targets.ts";
import { newToken } from "../../support/tickets.ts";
import { until } from "../../support/until.ts";
import { asMember, newOp } from "./as-member.ts";

describeTargets(
  "search",
  (target) => {
    let member: Awaited<ReturnType<typeof asMember>>;
    let admin: Awaited<ReturnType<typeof asMember>>;
    let project: CreatedProject;

    beforeAll(async () => {
      [member, admin] = await Promise.all([asMember(target()), asMember(target(), "admin")]);
      project = await admin.post<CreatedProject>("/projects", { name: "Zeppelin works" });
    });

    const card = (title: string) =>
      member.post<CardSummary>("/cards", { op: newOp(), columnId: project.columns[0]?.id, title });
    const search = async (q: string, who = member) =>
      (await who.get<{ groups: HitGroup[] }>(`/search?${new URLSearchParams({ q })}`)).groups;
    const cardsBy = async (q: string) => (await search(q)).find(({ kind }) => kind === "card")?.items ?? [];
    /** A new card is found a moment later. */
    const found = (q: string, id: string) => until(async () => (await cardsBy(q)).find((hit) => hit.id === id));
    const lost = (q: string, id: string) =>
      until(async () => (await cardsBy(q)).every((hit) => hit.id !== id) || undefined);

    test("cards by the beginnings of the words in their titles, whatever the case and the accents", async () => {
      const { id } = await card("Größter Crash im Éditeur: authentication fails");
      for (const q of ["gro", "CRASH", "crash grö", "editeur", "édi", "authentication", "authenticat fails", "cr x"]) {
        expect(await found(q, id)).toMatchObject({ where: "Board", href: `/cards/${id}`, exact: false });
      }
      expect(await cardsBy("authentically")).toEqual([]);
      expect(await cardsBy("rash")).toEqual([]);
      await member.patch(`/cards/${id}`, { version: 1, title: "Renamed entirely" });
      expect((await cardsBy("renam")).map((hit) => hit.id)).toEqual([id]);
      expect((await cardsBy("crash")).map((hit) => hit.id)).not.toContain(id);
    });

    test("a deleted card is not found, an archived one says so", async () => {
      const { id } = await card("Ephemeral thing");
      await found("ephemeral", id);
      await member.post(`/cards/${id}/archive`, {});
      expect(await found("ephemeral", id)).toMatchObject({ where: "Archived" });
      await member.delete(`/cards/${id}`);
      await lost("ephemeral", id);
    });

    test("ids, their last digits and addresses lead to the thing itself", async () => {
      const { id } = await card("To be found by id");
      const exact = { id, title: "To be found by id", href: `/cards/${id}`, exact: true };
      for (const q of [id, id.toUpperCase(), ` ${id} `, `https://intake.example.org/sub/cards/${id}?x=1#y`]) {
        expect(await search(q)).toMatchObject([{ kind: "card", items: [exact] }]);
      }
      expect(await found(id.slice(-6), id)).toMatchObject(exact);
      expect(await search(project.id)).toMatchObject([{ kind: "project", items: [{ href: `/p/${project.id}` }] }]);
      const boardPath = `/p/${project.id}/boards/${project.board.id}`;
      expect(await search(project.board.id)).toMatchObject([{ kind: "board", items: [{ href: boardPath }] }]);
      expect(await search(newOp())).toEqual([]);
    });

    test("boards, projects and members by any part of their names; tokens for admins only", async () => {
      const token = await newToken(target().installation, { name: "Zeppelin bot" });
      const kinds = (groups: HitGroup[]) => groups.map(({ kind }) => kind);
      expect(kinds(await search("eppel"))).toEqual(["project"]);
      const seen = await search("eppel", admin);
      expect(kinds(seen)).toEqual(["project", "token"]);
      expect(seen[1]?.items[0]).toMatchObject({ id: token.id, href: `/settings/tokens/${token.id}` });
      expect(await search(token.id)).toEqual([]);
      expect(kinds(await search(token.id, admin))).toEqual(["token"]);
      expect(kinds(await search("admin@exa"))).toEqual([]);
    });

    test("a pasted token or key is named to whoever may know, and is nowhere afterwards", async () => {
      const { installation } = target();
      const token = await newToken(installation, { name: "Leaked" });
      const key = await createKey({
        ctx: installation.ctx,
        input: { projectId: project.id, name: "App", limit: 60, origins: [] },
      });
      const credential = (value: string, who = admin) =>
        who.post<{ found: (Hit & { kind: string }) | null }>("/search/credential", { value });
      expect((await credential(token.token)).found).toMatchObject({ kind: "token", id: token.id, title: "Leaked" });
      expect((await credential(token.token, member)).found).toBeNull();
      expect((await credential(` ${key.key}\n`, member)).found).toMatchObject({ kind: "key", where: "Zeppelin works" });
      expect((await credential("itk_nothing")).found).toBeNull();
      expect(JSON.stringify(await credential(token.token))).not.toContain(token.token);
    });

    test("no text breaks it", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.stringMatching(/^[\w"*:^()+\- {}]{0,30}$/)),
          async (q) => {
            expect(await search(q.toWellFormed())).toBeArray();
          },
        ),
        { numRuns: 300 },
      );
      for (const q of [
        '"',
        "*",
        "title:x",
        "a AND",
        "NOT x",
        "x NEAR y",
        "short : abc",
        "^x",
        "{title}:x",
        "--",
        "%",
      ]) {
        expect(await search(q)).toBeArray();
      }
    }, 180_000);
  },
  ["in process", "compiled binary"],
);
