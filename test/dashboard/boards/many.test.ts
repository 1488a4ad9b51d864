import { beforeAll, expect, test } from "bun:test";
import { limits } from "../../../openapi/schema/limits.ts";
import type { CreatedProject } from "../../../server/boards/create-project.ts";
import type { BoardPage } from "../../../server/boards/show-board.ts";
import type { Page } from "../../../server/core/page.ts";
import type { CardSummary } from "../../../server/tickets/card-summary.ts";
import { describeTargets } from "../../support/targets.ts";
import { asMember, newOp } from "./as-member.ts";

const many = 10_000;

describeTargets(
  "ten thousand cards",
  (target) => {
    let admin: Awaited<ReturnType<typeof asMember>>;
    let project: CreatedProject;
    let ids: string[];
    const column = (i: number) => project.columns[i]?.id ?? "";

    beforeAll(async () => {
      admin = await asMember(target(), "admin");
      project = await admin.post<CreatedProject>("/projects", { name: "Large" });
      const { ctx } = target().installation;
      ids = Array.from({ length: many }, ctx.newId);
      await ctx.store.write(function* (tx) {
        for (const [i, id] of ids.entries()) {
          yield* tx.run(
            `insert into ticket (id, column_id, position, title, description, priority, author_name, created_at)
             values ($1, $2, $3, $4, $5, 'none', 'CI', $6)`,
            [id, column(0), i, `Card ${i} of a large board`, "text ".repeat(200), ctx.now()],
          );
        }
      });
    }, 180_000);

    async function walk(columnId: string): Promise<CardSummary[]> {
      const found: CardSummary[] = [];
      let next: string | null = "";
      while (next !== null) {
        const after: string = next === "" ? "" : `&after=${next}`;
        const page: Page<CardSummary> = await admin.get(`/columns/${columnId}/cards?limit=200${after}`);
        found.push(...page.items);
        next = page.next;
      }
      return found;
    }

    test("the first answer is small, says how many there are, and has no descriptions", async () => {
      const board = await admin.get<BoardPage>(`/boards/${project.board.id}`);
      expect(board.columns.map(({ cards, total, count }) => [cards.length, total, count])).toEqual([
        [limits.columnCards, many, many],
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ]);
      const text = JSON.stringify(board);
      expect(text).not.toContain("text text");
      expect(Bun.gzipSync(Buffer.from(text)).byteLength).toBeLessThan(30_000);
    });

    test("page by page all of them come, each once, in their order, also while cards move", async () => {
      expect((await walk(column(0))).map(({ id }) => id)).toEqual(ids);
      const moving = walk(column(0));
      // Upwards, over whatever was read already.
      const { length: last } = ids;
      await admin.post(`/cards/${ids[last - 1]}/move`, { columnId: column(0), after: ids[10], op: newOp() });
      const seen = (await moving).map(({ id }) => id);
      expect(seen.filter((id) => id !== ids[last - 1])).toEqual(ids.slice(0, -1));
    });

    test("deleting their column takes all of them to another one, in their order", async () => {
      const before = (await walk(column(0))).map(({ id }) => id);
      const gone = await admin.delete<object>(`/columns/${column(0)}?moveTo=${column(1)}`);
      expect(gone).toMatchObject({ moved: many });
      expect((await walk(column(1))).map(({ id }) => id)).toEqual(before);
    }, 180_000);
  },
  ["over loopback"],
);
