import { expect, test } from "bun:test";
import { createProject } from "../../server/boards/create-project.ts";
import { deleteProject } from "../../server/boards/delete-project.ts";
import { setSetting } from "../../server/core/settings.ts";
import { listRequests } from "../../server/credentials/list-requests.ts";
import { revokeToken } from "../../server/credentials/revoke-token.ts";
import { updateToken } from "../../server/credentials/update-credential.ts";
import { deleteTicket } from "../../server/tickets/delete.ts";
import { moveCard } from "../../server/tickets/move.ts";
import { updateCard } from "../../server/tickets/update.ts";
import { eventTools } from "../support/ingest.ts";
import { describeTargets } from "../support/targets.ts";
import { newToken, post, ticketCount } from "../support/tickets.ts";
import { until } from "../support/until.ts";

describeTargets("idempotency", (target) => {
  const mark = (response: Response) => ({
    status: response.status,
    replayed: response.headers.get("idempotent-replayed"),
    mismatch: response.headers.get("idempotency-mismatch"),
  });
  const created = { status: 201, replayed: null, mismatch: null };
  const replayed = { status: 201, replayed: "true", mismatch: null };
  const mismatched = { status: 201, replayed: "true", mismatch: "true" };

  test("a repeat gives the same bytes and creates nothing", async () => {
    const { token } = await newToken(target().installation);
    const first = await post(target(), { token, key: "build-1" });
    const before = await ticketCount(target().installation);
    const second = await post(target(), { token, key: "build-1" });
    expect(mark(first)).toEqual(created);
    expect(mark(second)).toEqual(replayed);
    expect(await second.text()).toBe(await first.text());
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(await ticketCount(target().installation)).toBe(before);
  });

  test("another body replays too, and is marked", async () => {
    const { token } = await newToken(target().installation);
    const first = await (await post(target(), { token, key: "k", body: { title: "one" } })).text();
    for (const body of [{ title: "two" }, '{"title": "one"}', "", "{", { title: 3 }, "x".repeat(1_048_577)]) {
      const again = await post(target(), { token, key: "k", body });
      expect(mark(again)).toEqual(mismatched);
      expect(await again.text()).toBe(first);
    }
    const otherType = await post(target(), {
      token,
      key: "k",
      body: { title: "one" },
      headers: { "content-type": "text/plain" },
    });
    expect(mark(otherType)).toEqual(replayed);
  });

  test("two tokens with one key are two keys", async () => {
    const [a, b] = await Promise.all([newToken(target().installation), newToken(target().installation)]);
    const [first, second] = await Promise.all([a, b].map(({ token }) => post(target(), { token, key: "same" })));
    expect(first?.headers.has("idempotent-replayed") || second?.headers.has("idempotent-replayed")).toBe(false);
  });

  test("only a created ticket binds a key", async () => {
    const { ctx } = target().installation;
    const { id, token } = await newToken(target().installation);
    expect((await post(target(), { token, key: "k", body: {} })).status).toBe(400);
    expect((await post(target(), { token, key: "k", body: { title: "x", boardId: crypto.randomUUID() } })).status).toBe(
      404,
    );
    await updateToken({ ctx, input: { id, change: { scopes: [] } } });
    expect((await post(target(), { token, key: "k" })).status).toBe(403);
    await updateToken({ ctx, input: { id, change: { scopes: ["tickets:write"] } } });
    expect(mark(await post(target(), { token, key: "k" }))).toEqual(created);
  });

  test("50 at once make one ticket and 50 equal answers", async () => {
    const { token } = await newToken(target().installation);
    const before = await ticketCount(target().installation);
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(target(), { token, key: "race" })));
    const texts = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(texts.size).toBe(1);
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(answers.filter(({ headers }) => !headers.has("idempotent-replayed")).length).toBe(1);
    expect(await ticketCount(target().installation)).toBe(before + 1);
  });

  test("a replay stays as it was after rename, move, delete, new reach and new public URL", async () => {
    const { ctx, made } = target().installation;
    const { id, token } = await newToken(target().installation);
    const first = await post(target(), { token, key: "k", body: { title: "As it was" } });
    const text = await first.text();
    const ticket = JSON.parse(text) as { id: string };
    const again = async () => {
      const response = await post(target(), { token, key: "k", body: { title: "As it was" } });
      expect(mark(response)).toEqual(replayed);
      expect(response.headers.get("location")).toBe(first.headers.get("location"));
      expect(await response.text()).toBe(text);
    };
    await updateCard({ ctx, input: { id: ticket.id, change: { title: "Renamed" } } });
    await again();
    await moveCard({ ctx, input: { id: ticket.id, columnId: made.columns[3]?.id ?? "", after: null } });
    await again();
    await setSetting({ ctx, input: { name: "public_url", value: "https://intake.example.org/" } });
    await again();
    const fresh = (await (await post(target(), { token })).json()) as { url: string };
    expect(fresh.url).toStartWith("https://intake.example.org/cards/");
    await setSetting({ ctx, input: { name: "public_url", value: "" } });
    await deleteTicket({ ctx, input: { id: ticket.id } });
    await again();
    await updateToken({ ctx, input: { id, change: { reach: [] } } });
    await again();
  });

  test("a replay outlives its project", async () => {
    const { ctx } = target().installation;
    const project = await createProject({ ctx, input: { name: "Short-lived" } });
    const { token } = await newToken(target().installation, { reach: [project.id] });
    const first = await (await post(target(), { token, key: "k" })).text();
    await deleteProject({ ctx, tools: eventTools(target().installation), input: { id: project.id } });
    expect(await (await post(target(), { token, key: "k" })).text()).toBe(first);
    expect((await post(target(), { token })).status).toBe(404);
  });

  test("another token's revoke changes nothing, its own does", async () => {
    const { ctx } = target().installation;
    const [mine, other] = [await newToken(target().installation), await newToken(target().installation)];
    await post(target(), { token: mine.token, key: "k" });
    await revokeToken({ ctx, input: { id: other.id } });
    expect(mark(await post(target(), { token: mine.token, key: "k" }))).toEqual(replayed);
    await revokeToken({ ctx, input: { id: mine.id } });
    expect((await post(target(), { token: mine.token, key: "k" })).status).toBe(401);
  });

  test("255 characters are a key, 256 and none are not", async () => {
    const { token } = await newToken(target().installation);
    expect((await post(target(), { token, key: "k".repeat(255) })).status).toBe(201);
    for (const key of ["k".repeat(256), "", "   "]) {
      const response = await post(target(), { token, key });
      expect(await response.json()).toMatchObject({ error: "invalid_idempotency_key" });
    }
  });

  test("a key is its bytes: quotes count, blanks around it do not, one code point per byte", async () => {
    const { token } = await newToken(target().installation);
    expect(mark(await post(target(), { token, key: "abc" }))).toEqual(created);
    expect(mark(await post(target(), { token, key: '"abc"' }))).toEqual(created);
    expect(mark(await post(target(), { token, key: " abc " }))).toEqual(replayed);
    expect(mark(await post(target(), { token, key: "ABC" }))).toEqual(created);
    expect(mark(await post(target(), { token, key: "\u00e4" }))).toEqual(created);
    expect(mark(await post(target(), { token, key: "\u00c3\u00a4" }))).toEqual(created);
    expect(mark(await post(target(), { token, key: "\u00e4" }))).toEqual(replayed);
  });

  test("the token's log shows every authenticated request, replays and mismatches marked", async () => {
    const { ctx } = target().installation;
    const { id, token } = await newToken(target().installation);
    const first = (await (await post(target(), { token, key: "k" })).json()) as { id: string };
    await post(target(), { token, key: "k", body: { title: "other" } });
    await post(target(), { token, body: {} });
    const items = await until(async () => {
      const page = await listRequests({ ctx, input: { tokenId: id, limit: 50 } });
      return page.items.length === 3 ? page.items : undefined;
    });
    const at = expect.any(String);
    expect(items).toEqual([
      { at, status: 201, ticketId: first.id, idempotencyKey: "k", replayed: false, mismatch: false },
      { at, status: 201, ticketId: first.id, idempotencyKey: "k", replayed: true, mismatch: true },
      { at, status: 400, code: "invalid_input", replayed: false, mismatch: false },
    ]);
  });
});
