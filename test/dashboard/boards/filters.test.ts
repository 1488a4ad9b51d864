import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { CreatedProject } from "../../../server/boards/create-project.ts";
import { bindRepository } from "../../../server/boards/repositories.ts";
import type { BoardCounts, BoardPage } from "../../../server/boards/show-board.ts";
import type { Page } from "../../../server/core/page.ts";
import type { CardSummary } from "../../../server/tickets/card-summary.ts";
import { describeTargets } from "../../support/targets.ts";
import { newToken, post } from "../../support/tickets.ts";
import { asMember, newOp } from "./as-member.ts";

const today = "2026-11-21";
const days = [null, "2026-11-01", "2026-11-20", today, "2026-11-25", "2026-11-28", "2027-01-01"];
const titles = ["Crash in cart", "100% of_all", "Größe", "Upload queue", "cart totals"];

describeTargets(
  "filters",
  (target) => {
    let member: Awaited<ReturnType<typeof asMember>>;
    let board: string;
    let columns: string[];
    let token: { id: string; token: string };
    let agent: string;
    let repository: string;
    let cards: CardSummary[];

    beforeAll(async () => {
      const admin = await asMember(target(), "admin");
      member = await asMember(target());
      const project = await admin.post<CreatedProject>("/projects", { name: "Filtered" });
      board = project.board.id;
      columns = project.columns.map(({ id }) => id);
      token = await newToken(target().installation, { reach: [project.id] });
      agent = target().installation.made.agent.id;
      const { ctx } = target().installation;
      repository = (await bindRepository({ ctx, input: { projectId: project.id, url: "https://example.org/r.git" } }))
        .id;
      for (let i = 0; i < 90; i++) {
        const dueAt = days[i % days.length];
        const fields = {
          columnId: columns[i % 4],
          title: `${titles[i % titles.length]} ${i}`,
          priority: ["none", "low", "medium", "high"][(i * 7) % 4],
          ...(dueAt ? { dueAt } : {}),
          ...(i % 5 === 0 ? { assigneeUserId: member.id } : {}),
          ...(i % 11 === 0 ? { assigneeUserId: agent } : {}),
          ...(i % 9 === 0 ? { agentRepositoryId: repository } : {}),
        };
        if (i % 3 === 0) await post(target(), { token: token.token, body: fields });
        else await member.post("/cards", { op: newOp(), after: "last", ...fields });
      }
      const every = await Promise.all(
        columns.map((id) => member.get<Page<CardSummary>>(`/columns/${id}/cards?limit=200`)),
      );
      cards = every.flatMap(({ items }) => items);
      expect(cards).toHaveLength(90);
    }, 180_000);

    interface Chosen {
      quick?: string | undefined;
      assignee?: string | undefined;
      priority?: string | undefined;
      token?: string | undefined;
      due?: string | undefined;
      run?: string | undefined;
      text?: string | undefined;
    }

    const isOverdue = ({ dueAt, columnId }: CardSummary) => dueAt !== null && dueAt < today && columnId !== columns[3];
    const quick: Record<string, (card: CardSummary) => boolean> = {
      all: () => true,
      tokens: ({ author }) => author.kind === "token",
      agent: ({ assignee }) => assignee?.kind === "agent",
      overdue: isOverdue,
    };
    const due: Record<string, (card: CardSummary) => boolean> = {
      overdue: isOverdue,
      week: ({ dueAt }) => dueAt !== null && dueAt >= today && dueAt < "2026-11-28",
      set: ({ dueAt }) => dueAt !== null,
      none: ({ dueAt }) => dueAt === null,
    };
    const matches = (card: CardSummary, chosen: Chosen) =>
      (chosen.assignee === undefined || (card.assignee?.id ?? "none") === chosen.assignee) &&
      (chosen.priority === undefined || chosen.priority.split(",").includes(card.priority)) &&
      (chosen.token === undefined || card.author.id === chosen.token) &&
      (chosen.due === undefined || due[chosen.due]?.(card) === true) &&
      (chosen.run === undefined || (card.run !== null) === (chosen.run === "yes")) &&
      (chosen.text === undefined || card.title.toLowerCase().includes(chosen.text.toLowerCase()));

    test("any filter shows and counts what it says", async () => {
      const maybe = (...values: (string | undefined)[]) => fc.constantFrom(undefined, undefined, ...values);
      const chosen = fc.record({
        quick: maybe("all", "tokens", "agent", "overdue"),
        assignee: fc.nat(5).map((i) => [member.id, agent, "none"][i]),
        priority: maybe("high", "none,low", "medium"),
        token: fc.nat(4).map((i) => [token.id][i]),
        due: maybe("overdue", "week", "set", "none"),
        run: maybe("yes", "no"),
        text: maybe("cart", "CART", "%", "_", "100%", "nothing"),
      });
      await fc.assert(
        fc.asyncProperty(chosen, async (chosen) => {
          const given = Object.entries({ ...chosen, today }).filter(([, value]) => value !== undefined);
          const query = new URLSearchParams(given as [string, string][]);
          const within = cards.filter((card) => matches(card, chosen));
          const shown = within.filter((card) => quick[chosen.quick ?? "all"]?.(card));
          const page = await member.get<BoardPage>(`/boards/${board}?${query}`);
          for (const [i, column] of page.columns.entries()) {
            const expected = shown.filter(({ columnId }) => columnId === columns[i]);
            expect(column.cards).toEqual(expected);
            expect(column.count).toBe(expected.length);
            expect(column.total).toBe(cards.filter(({ columnId }) => columnId === columns[i]).length);
          }
          const count = (name: string) => within.filter((card) => quick[name]?.(card)).length;
          expect(page.totals).toEqual({
            all: count("all"),
            tokens: count("tokens"),
            agent: count("agent"),
            overdue: count("overdue"),
          });
          const counts = await member.get<BoardCounts>(`/boards/${board}/counts?${query}`);
          expect(counts.totals).toEqual(page.totals);
        }),
        { numRuns: 60 },
      );
    }, 180_000);

    test("by repository", async () => {
      const page = await member.get<BoardPage>(`/boards/${board}?repository=${repository}`);
      expect(page.totals.all).toBe(10);
    });

    test("what stands in Done for long can be left out", async () => {
      const { store } = target().installation.ctx;
      const [old] = cards.filter(({ columnId }) => columnId === columns[3]);
      const long = Date.now() - 3 * 86_400_000;
      await store.write((tx) => tx.run("update ticket set created_at = $2 where id = $1", [old?.id ?? "", long]));
      const count = async (days: number) =>
        (await member.get<BoardPage>(`/boards/${board}?doneDays=${days}`)).totals.all;
      expect([await count(2), await count(4)]).toEqual([89, 90]);
      await member.post(`/cards/${old?.id}/move`, { columnId: columns[3], after: null, op: newOp() });
      expect(await count(2)).toBe(90);
    });

    test("pages of a filtered column neither skip nor repeat a card", async () => {
      const found: string[] = [];
      let next: string | null = "";
      while (next !== null) {
        const after: string = next === "" ? "" : `&after=${next}`;
        const path = `/columns/${columns[1]}/cards?limit=3&due=set${after}`;
        const page: Page<CardSummary> = await member.get(path);
        found.push(...page.items.map(({ id }) => id));
        next = page.next;
      }
      const expected = cards.filter(({ columnId, dueAt }) => columnId === columns[1] && dueAt !== null);
      expect(found).toEqual(expected.map(({ id }) => id));
    });

    test("what no filter says is refused, never passed over", async () => {
      for (const query of [
        "quick=mine",
        "doneDays=0",
        "today=2026-02-30",
        "assignee=me",
        "priority=urgent",
        "priority=high,",
        "due=soon",
        "run=maybe",
        "state=gone",
        "token=x",
        "repository='",
      ]) {
        expect((await member.get(`/boards/${board}?${query}`, 400)).error).toBe("invalid_input");
      }
      await member.get(`/columns/${columns[0]}/cards?after=nonsense`, 400);
      await member.get(`/columns/${columns[0]}/cards?limit=201`, 400);
    });
  },
  ["in process"],
);
