import { beforeAll, expect, test } from "bun:test";
import type { CreatedProject } from "../../../server/boards/create-project.ts";
import type { BoardPage } from "../../../server/boards/show-board.ts";
import type { ProjectDetail, RailProject } from "../../../server/boards/show-projects.ts";
import type { Page } from "../../../server/core/page.ts";
import type { CardSummary } from "../../../server/tickets/card-summary.ts";
import type { CardDetail } from "../../../server/tickets/show-card.ts";
import { describeTargets } from "../../support/targets.ts";
import { newToken, post } from "../../support/tickets.ts";
import { until } from "../../support/until.ts";
import { asMember, newOp } from "./as-member.ts";

describeTargets(
  "boards",
  (target) => {
    let member: Awaited<ReturnType<typeof asMember>>;
    let admin: Awaited<ReturnType<typeof asMember>>;

    beforeAll(async () => {
      [member, admin] = await Promise.all([asMember(target()), asMember(target(), "admin")]);
    });

    const newProject = (name = "Project") => admin.post<CreatedProject>("/projects", { name });
    const board = (id: string) => member.get<BoardPage>(`/boards/${id}`);
    const namesOf = async (id: string) => (await board(id)).columns.map(({ name }) => name);
    const card = (columnId: string | undefined, title: string) =>
      member.post<CardSummary>("/cards", { op: newOp(), columnId, title, after: "last" });
    const titlesOf = async (columnId: string | undefined) =>
      (await member.get<Page<CardSummary>>(`/columns/${columnId}/cards`)).items.map(({ title }) => title);

    test("a new project has a board whose columns mean something", async () => {
      const { id, board: made } = await newProject();
      const shown = await board(made.id);
      expect(shown.project).toEqual({ id, name: "Project", archivedAt: null });
      expect(shown.columns.map(({ name, category, limit }) => [name, category, limit])).toEqual([
        ["Backlog", "backlog", null],
        ["To do", "todo", null],
        ["In progress", "doing", null],
        ["Done", "done", null],
      ]);
    });

    test("members create, rename and order boards and columns; deleting and archiving is for admins", async () => {
      const { id: projectId, board: first, columns } = await newProject();
      const made = await member.post<{ id: string }>("/boards", { projectId, name: "Mobile" });
      await member.patch(`/boards/${made.id}`, { name: "Phones", after: null });
      const detail = await member.get<ProjectDetail>(`/projects/${projectId}`);
      expect(detail.boards.map(({ name }) => name)).toEqual(["Phones", "Board"]);

      const review = { boardId: first.id, name: "Review", category: "doing", limit: 3, after: columns[2]?.id };
      const { id } = await member.post<{ id: string }>("/columns", review);
      expect(await namesOf(first.id)).toEqual(["Backlog", "To do", "In progress", "Review", "Done"]);
      await member.patch(`/columns/${id}`, { name: "Look at", category: "done", limit: null, after: null });
      const [leftmost] = (await board(first.id)).columns;
      expect(leftmost).toMatchObject({ id, name: "Look at", category: "done", limit: null });

      for (const path of [`/columns/${id}`, `/boards/${made.id}`, `/projects/${projectId}`]) {
        expect((await member.delete(path, 403)).error).toBe("permission_denied");
      }
      await member.post(`/boards/${made.id}/archive`, {}, 403);
      await member.post(`/projects/${projectId}/archive`, {}, 403);
      await member.patch(`/projects/${projectId}`, { name: "x" }, 403);
      await member.post("/projects", { name: "x" }, 403);
      await member.patch(`/columns/${id}`, { limit: 0 }, 400);
      await member.patch(`/columns/${id}`, { category: "later" }, 400);
      await member.patch(`/columns/${id}`, { name: "   " }, 400);
      await member.patch(`/boards/${made.id}`, { after: made.id }, 400);
    });

    test("the order that people give the boards is where tickets go that name none", async () => {
      const { id: projectId, columns } = await newProject();
      const { token } = await newToken(target().installation, { reach: [projectId] });
      const made = await member.post<{ id: string; columns: { id: string }[] }>("/boards", { projectId, name: "New" });
      await member.patch(`/boards/${made.id}`, { after: null });
      await member.patch(`/columns/${made.columns[3]?.id}`, { after: null });
      const ticket = (await (await post(target(), { token })).json()) as { columnId: string };
      expect(ticket.columnId).toBe(made.columns[3]?.id ?? "");
      expect(columns.map(({ id }) => id)).not.toContain(ticket.columnId);
    });

    test("a column with cards is deleted by saying where they go; they keep their order and their history", async () => {
      const { board: made, columns } = await newProject();
      const [backlog, todo] = columns;
      await card(todo?.id, "there already");
      const first = await card(backlog?.id, "a");
      await card(backlog?.id, "b");
      const archived = await card(backlog?.id, "archived");
      await member.post(`/cards/${archived.id}/archive`, {});
      await admin.delete(`/columns/${backlog?.id}`, 409);
      const other = await newProject();
      await admin.delete(`/columns/${backlog?.id}?moveTo=${other.columns[0]?.id}`, 404);
      await admin.delete(`/columns/${backlog?.id}?moveTo=x`, 404);

      expect(await admin.delete<object>(`/columns/${backlog?.id}?moveTo=${todo?.id}`)).toMatchObject({ moved: 2 });
      expect(await namesOf(made.id)).toEqual(["To do", "In progress", "Done"]);
      expect(await titlesOf(todo?.id)).toEqual(["there already", "a", "b"]);
      const [moved] = (await member.get<CardDetail>(`/cards/${first.id}`)).activity;
      expect(moved).toMatchObject({
        kind: "moved",
        actor: { name: "admin" },
        detail: { from: { id: backlog?.id, name: "Backlog" }, to: { id: todo?.id, name: "To do" } },
      });
      await member.post(`/cards/${archived.id}/unarchive`, {});
      expect((await titlesOf(todo?.id)).toSorted()).toEqual(["a", "archived", "b", "there already"]);
    });

    test("a column that goes while a card is dragged to it: the move is refused and the card stays", async () => {
      const { columns } = await newProject();
      const [backlog, todo, doing] = columns;
      const { id } = await card(backlog?.id, "dragged");
      const move = { columnId: todo?.id, after: null, op: newOp() };
      const [gone] = await Promise.all([
        admin.delete<object>(`/columns/${todo?.id}?moveTo=${doing?.id}`),
        member.post(`/cards/${id}/move`, move).catch(() => {}),
      ]);
      expect(gone).toMatchObject({ id: todo?.id });
      const before = await member.get<CardDetail>(`/cards/${id}`);
      expect(before.columnId).toBeOneOf([backlog?.id ?? "", doing?.id ?? ""]);
      expect((await member.post(`/cards/${id}/move`, { ...move, op: newOp() }, 404)).error).toBe("column_not_found");
      expect((await member.get<CardDetail>(`/cards/${id}`)).columnId).toBe(before.columnId);
    });

    test("the last column and the last board stay", async () => {
      const { id: projectId, board: made, columns } = await newProject();
      for (const { id } of columns.slice(1)) await admin.delete(`/columns/${id}`);
      await admin.delete(`/columns/${columns[0]?.id}`, 409);
      await admin.delete(`/boards/${made.id}`, 409);
      const other = await member.post<{ id: string }>("/boards", { projectId, name: "Other" });
      await admin.post(`/boards/${other.id}/archive`, {});
      await admin.delete(`/boards/${made.id}`, 409);
      await admin.post(`/boards/${other.id}/unarchive`, {});
      await admin.delete(`/boards/${made.id}`);
      await member.get(`/boards/${made.id}`, 404);
    });

    test("a deleted project is out of sight at once and out of the database soon; replays of its tickets stay", async () => {
      const { id, columns } = await newProject("Doomed");
      const { token } = await newToken(target().installation, { reach: [id] });
      const first = await (await post(target(), { token, key: "k" })).text();
      await card(columns[0]?.id, "by hand");
      await admin.delete(`/projects/${id}`);
      const { items } = await member.get<{ items: RailProject[] }>("/projects");
      expect(items.map(({ name }) => name)).not.toContain("Doomed");
      await member.get(`/projects/${id}`, 404);
      await member.post("/boards", { projectId: id, name: "x" }, 404);
      expect((await post(target(), { token, key: "new" })).status).toBe(404);
      expect(await (await post(target(), { token, key: "k" })).text()).toBe(first);
      const { store } = target().installation.ctx;
      await until(async () => !(await store.one("select id from project where id = $1", [id])) || undefined);
      expect(await (await post(target(), { token, key: "k" })).text()).toBe(first);
    }, 180_000);

    test("cards move between the boards of a project, not into another one", async () => {
      const { id: projectId, columns } = await newProject();
      const made = await member.post<{ id: string; columns: { id: string }[] }>("/boards", { projectId, name: "New" });
      const { id } = await card(columns[0]?.id, "wanders");
      const there = { columnId: made.columns[1]?.id, after: null, op: newOp() };
      expect(await member.post<object>(`/cards/${id}/move`, there)).toMatchObject({ boardId: made.id });
      const moved = await member.get<CardDetail>(`/cards/${id}`);
      expect([moved.board.name, moved.column.name]).toEqual(["New", "To do"]);
      expect(moved.activity[0]?.detail).toMatchObject({ from: { board: "Board" }, to: { board: "New" } });
      const other = await newProject();
      const away = { columnId: other.columns[0]?.id, after: null, op: newOp() };
      expect((await member.post(`/cards/${id}/move`, away, 409)).error).toBe("conflict");
    });

    test("an archived project or board takes no new card, and its cards are there when it is back", async () => {
      const { id: projectId, columns } = await newProject();
      const { id } = await card(columns[0]?.id, "kept");
      await admin.post(`/projects/${projectId}/archive`, {});
      await admin.post(`/projects/${projectId}/archive`, {}, 409);
      await member.post("/cards", { op: newOp(), columnId: columns[0]?.id, title: "x" }, 404);
      expect((await member.get<CardDetail>(`/cards/${id}`)).project.archivedAt).not.toBeNull();
      await admin.post(`/projects/${projectId}/unarchive`, {});
      expect(await titlesOf(columns[0]?.id)).toEqual(["kept"]);
    });
  },
  ["in process", "compiled binary"],
);
