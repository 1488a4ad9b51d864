import { expect, test } from "bun:test";
import { addMember } from "../../server/accounts/add-member.ts";
import { removeMember } from "../../server/accounts/remove-member.ts";
import { archiveBoard, archiveProject } from "../../server/boards/archive.ts";
import { createBoard } from "../../server/boards/create-board.ts";
import { createColumn } from "../../server/boards/create-column.ts";
import { createProject } from "../../server/boards/create-project.ts";
import { deleteColumn } from "../../server/boards/delete-column.ts";
import { bindRepository, unbindRepository } from "../../server/boards/repositories.ts";
import { deleteTicket } from "../../server/tickets/delete.ts";
import { listTickets } from "../../server/tickets/list.ts";
import { showTicket } from "../../server/tickets/show.ts";
import { describeTargets } from "../support/targets.ts";
import { newToken, post } from "../support/tickets.ts";

describeTargets("resolution", (target) => {
  const ctx = () => target().installation.ctx;
  const project = (name = "P") => createProject({ ctx: ctx(), input: { name } });
  async function send(token: string, body: Record<string, unknown> = {}) {
    const response = await post(target(), { token, body: { title: "x", ...body } });
    return { status: response.status, ...((await response.json()) as Record<string, string>) };
  }

  test("without ids: the only project, its first board, the leftmost column", async () => {
    const { id, board, columns } = await project();
    await createBoard({ ctx: ctx(), input: { projectId: id, name: "Second", columns: true } });
    const { token } = await newToken(target().installation, { reach: [id] });
    expect(await send(token)).toMatchObject({
      status: 201,
      projectId: id,
      boardId: board.id,
      columnId: columns[0]?.id,
    });
  });

  test("an archived board is not found, named or not; the next one is first", async () => {
    const { id, board } = await project();
    const second = await createBoard({ ctx: ctx(), input: { projectId: id, name: "Second", columns: true } });
    await archiveBoard({ ctx: ctx(), input: { id: board.id } });
    const { token } = await newToken(target().installation, { reach: [id] });
    expect(await send(token)).toMatchObject({ status: 201, boardId: second.id });
    expect(await send(token, { boardId: board.id })).toMatchObject({ error: "board_not_found" });
  });

  test("columnId without boardId must lie on the first board", async () => {
    const { id } = await project();
    const second = await createBoard({ ctx: ctx(), input: { projectId: id, name: "Second", columns: true } });
    const { token } = await newToken(target().installation, { reach: [id] });
    const columnId = second.columns[1]?.id;
    expect(await send(token, { columnId })).toMatchObject({ error: "column_not_found" });
    expect(await send(token, { boardId: second.id, columnId })).toMatchObject({ status: 201, columnId });
  });

  test("boardId alone does not choose among several projects", async () => {
    const [a, b] = [await project("A"), await project("B")];
    const { token } = await newToken(target().installation, { reach: [a.id, b.id] });
    expect(await send(token, { boardId: a.board.id })).toMatchObject({ error: "project_required" });
    expect(await send(token, { projectId: b.id })).toMatchObject({ status: 201, projectId: b.id });
    expect(await send(token, { projectId: b.id, boardId: a.board.id })).toMatchObject({ error: "board_not_found" });
  });

  test("an archived project does not count and is not found", async () => {
    const [a, b] = [await project("A"), await project("B")];
    const { token } = await newToken(target().installation, { reach: [a.id, b.id] });
    await archiveProject({ ctx: ctx(), input: { id: a.id } });
    expect(await send(token)).toMatchObject({ status: 201, projectId: b.id });
    const archived = await post(target(), { token, body: { title: "x", projectId: a.id } });
    const foreign = await post(target(), {
      token,
      body: { title: "x", projectId: target().installation.made.project.id },
    });
    const absent = await post(target(), { token, body: { title: "x", projectId: crypto.randomUUID() } });
    const texts = await Promise.all([archived, foreign, absent].map((response) => response.text()));
    expect(new Set(texts).size).toBe(1);
    expect(archived.status).toBe(404);
  });

  test("a token that reaches nothing: project_not_found", async () => {
    const { token } = await newToken(target().installation, { reach: [] });
    expect(await send(token)).toMatchObject({ status: 404, error: "project_not_found" });
  });

  test("all projects includes later ones, a chosen list does not", async () => {
    const all = await newToken(target().installation, { reach: "all" });
    const chosen = await newToken(target().installation);
    const later = await project("Later");
    expect(await send(all.token, { projectId: later.id })).toMatchObject({ status: 201 });
    expect(await send(chosen.token, { projectId: later.id })).toMatchObject({ error: "project_not_found" });
    expect(await send(all.token)).toMatchObject({ error: "project_required" });
  });

  test("a board without columns: column_not_found; the column that is added next takes the card", async () => {
    const { id, board, columns } = await project();
    for (const column of columns) await deleteColumn({ ctx: ctx(), input: { id: column.id } });
    const { token } = await newToken(target().installation, { reach: [id] });
    expect(await send(token)).toMatchObject({ error: "column_not_found" });
    const added = await createColumn({ ctx: ctx(), input: { boardId: board.id, name: "Inbox" } });
    expect(await send(token)).toMatchObject({ status: 201, columnId: added.id });
  });

  test("a project without boards: board_not_found", async () => {
    const { id, board } = await project();
    await archiveBoard({ ctx: ctx(), input: { id: board.id } });
    const { token } = await newToken(target().installation, { reach: [id] });
    expect(await send(token)).toMatchObject({ status: 404, error: "board_not_found" });
  });

  test("a new card goes to the top of its column", async () => {
    const { id } = await project();
    const { token } = await newToken(target().installation, { reach: [id] });
    for (const title of ["one", "two", "three"]) await send(token, { title });
    const page = await listTickets({ ctx: ctx(), input: { projectId: id, limit: 50 } });
    expect(page.items.map(({ title }) => title)).toEqual(["three", "two", "one"]);
  });

  test("only members can be assigned; a removed one cannot", async () => {
    const { token } = await newToken(target().installation);
    const input = { email: `m${Date.now()}@example.org`, name: "Member", role: "member" } as const;
    const { id } = await addMember({ ctx: ctx(), input });
    expect(await send(token, { assigneeUserId: id.toUpperCase() })).toMatchObject({ status: 201 });
    await removeMember({ ctx: ctx(), input: { id } });
    expect(await send(token, { assigneeUserId: id })).toMatchObject({ error: "not_a_member" });
  });
});

describeTargets("agent", (target) => {
  const ctx = () => target().installation.ctx;
  async function assigned(project: string, body: Record<string, unknown> = {}, key?: string) {
    const { made } = target().installation;
    const { token } = await newToken(target().installation, { reach: [project] });
    const call = { token, key, body: { title: "For the agent", assigneeUserId: made.agent.id, ...body } };
    const answer = (await (await post(target(), call)).json()) as { id: string; error?: string };
    if (key !== undefined) await post(target(), call);
    return answer.error === undefined ? showTicket({ ctx: ctx(), input: { id: answer.id } }) : answer;
  }
  const project = async () => (await createProject({ ctx: ctx(), input: { name: "P" } })).id;
  const bind = (projectId: string, url = "https://git.example.org/shop.git") =>
    bindRepository({ ctx: ctx(), input: { projectId, url } });

  test("no repository: the ticket is created and its run waits, saying why", async () => {
    expect(await assigned(await project())).toMatchObject({ run: { state: "waiting", reason: "no_repository" } });
  });

  test("the project's only repository is meant; no runner has been seen", async () => {
    const id = await project();
    await bind(id);
    expect(await assigned(id)).toMatchObject({ run: { state: "queued", reason: "no_runner" } });
  });

  test("among several repositories the named one", async () => {
    const id = await project();
    const [a] = [await bind(id, "https://git.example.org/a.git"), await bind(id, "https://git.example.org/b.git")];
    expect(await assigned(id)).toMatchObject({ run: { state: "waiting" } });
    expect(await assigned(id, { agentRepositoryId: a.id })).toMatchObject({
      agentRepositoryId: a.id,
      run: { state: "queued" },
      activity: [{ kind: "created" }, { kind: "run_queued" }],
    });
  });

  test("a replay queues nothing", async () => {
    const id = await project();
    await bind(id);
    const shown = await assigned(id, {}, "once");
    const runs = await ctx().store.all("select id from agent_run where ticket_id = $1", [shown.id]);
    expect(runs.length).toBe(1);
  });

  test("a repository of another project or unbound is refused; without the agent it is only stored", async () => {
    const [mine, other] = [await project(), await project()];
    const [bound, foreign] = [await bind(mine), await bind(other)];
    expect(await assigned(mine, { agentRepositoryId: foreign.id })).toMatchObject({
      error: "invalid_agent_repository",
    });
    const stored = await assigned(mine, { agentRepositoryId: bound.id, assigneeUserId: null });
    expect(stored).toMatchObject({ agentRepositoryId: bound.id });
    expect(stored).not.toHaveProperty("run");
    await unbindRepository({ ctx: ctx(), input: { id: bound.id } });
    expect(await assigned(mine, { agentRepositoryId: bound.id })).toMatchObject({ error: "invalid_agent_repository" });
  });

  test("deleting the ticket takes its run along", async () => {
    const shown = await assigned(await project());
    await deleteTicket({ ctx: ctx(), input: { id: shown.id } });
    expect(await ctx().store.all("select id from agent_run where ticket_id = $1", [shown.id])).toEqual([]);
  });
});
