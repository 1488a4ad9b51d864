import { expect, test } from "bun:test";
import { createProject } from "../../server/boards/create-project.ts";
import { bindRepository } from "../../server/boards/repositories.ts";
import { onPostgres } from "../support/databases.ts";
import { operationOf } from "../support/documented.ts";
import type { Installation } from "../support/installation.ts";
import { RawRequest } from "../support/raw-request.ts";
import { describeScenarios } from "../support/scenario.ts";
import { whileLocked, withoutTable } from "../support/storage.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { type Call, newToken, post } from "../support/tickets.ts";

const nobody = "019a9c1e-6d00-7fff-8000-000000000000";
const title = "Nightly build failed";

/** Sends with an API token of its own. */
async function call(target: Target, more: Call = {}, input: Parameters<typeof newToken>[1] = {}): Promise<Response> {
  const { token } = await newToken(target.installation, input);
  return post(target, { token, ...more });
}

const refused = (status: number, code: string, more: Call, input: Parameters<typeof newToken>[1] = {}) => ({
  status,
  example: code,
  provoke: (target: Target) => call(target, more, input),
});

describeScenarios("createTicket", [
  {
    status: 201,
    example: "created",
    except: ["id", "projectId", "boardId", "columnId", "createdAt", "url"],
    async provoke(target) {
      const { token } = await newToken(target.installation);
      await post(target, { token, key: "build-7312", body: { title } });
      // The request that gets every header that the answer can have.
      return post(target, { token, key: "build-7312", body: { title: "Another body" } });
    },
  },
  refused(400, "invalid_input", { body: { projectId: "x", priority: "urgent", dueAt: "2026-02-29", colour: "red" } }),
  {
    status: 400,
    example: "project_required",
    async provoke(target) {
      const { made, ctx } = target.installation;
      const other = await createProject({ ctx, input: { name: "Other" } });
      return call(target, {}, { reach: [made.project.id, other.id] });
    },
  },
  refused(400, "invalid_date_range", { body: { title, startsAt: "2026-11-28", dueAt: "2026-11-27" } }),
  refused(400, "not_a_member", { body: { title, assigneeUserId: nobody } }),
  refused(400, "invalid_agent_repository", { body: { title, agentRepositoryId: nobody } }),
  refused(400, "invalid_idempotency_key", { key: "k".repeat(256) }),
  { status: 401, example: "invalid_api_token", provoke: (target) => post(target, { token: "itk_wrong" }) },
  refused(403, "insufficient_scope", {}, { scopes: [] }),
  refused(404, "project_not_found", { body: { title, projectId: nobody } }),
  refused(404, "board_not_found", { body: { title, boardId: nobody } }),
  refused(404, "column_not_found", { body: { title, columnId: nobody } }),
  {
    status: 408,
    example: "request_timeout",
    async provoke(target) {
      const { token } = await newToken(target.installation);
      const request = new RawRequest(target, [
        "POST /api/v1/tickets HTTP/1.1",
        "Host: a",
        `Authorization: Bearer ${token}`,
        "Content-Type: application/json",
        "Content-Length: 100",
      ]);
      return request.answer().finally(() => request.close());
    },
  },
  {
    status: 429,
    example: "rate_limit_exceeded",
    async provoke(target) {
      const { token } = await newToken(target.installation, { limit: 1 });
      await post(target, { token });
      return post(target, { token });
    },
  },
  {
    status: 500,
    example: "internal_error",
    alone: true,
    async provoke(target) {
      const { token } = await newToken(target.installation);
      // With an invalid body the key is looked up by a read of its own, whose table is missing here.
      return withoutTable(target.installation, onPostgres ? "idempotency" : "idempotency_key", () =>
        post(target, { token, key: "a", body: { title: "" } }),
      );
    },
  },
  {
    status: 503,
    example: "service_unavailable",
    alone: true,
    async provoke(target) {
      const { token } = await newToken(target.installation);
      return whileLocked(target.installation, () => post(target, { token }));
    },
  },
]);

describeTargets(
  "createTicket: examples of requests",
  (target) => {
    const { requestBody } = operationOf("createTicket").operation;
    for (const [name, { value }] of Object.entries(requestBody?.content["application/json"]?.examples ?? {})) {
      test(name, async () => {
        const body = await here(target().installation, value);
        const response = await call(target(), { body });
        expect([response.status, await response.json()]).toMatchObject([
          201,
          { title: (body as { title: string }).title },
        ]);
      });
    }
  },
  ["over loopback", "compiled binary"],
);

/** The example with ids of this installation in place of those of the document. */
async function here({ ctx, made }: Installation, value: unknown): Promise<unknown> {
  const repository = await bindRepository({
    ctx,
    input: { projectId: made.project.id, url: `https://git.example.org/${crypto.randomUUID()}` },
  });
  const ids: Record<string, string | undefined> = {
    projectId: made.project.id,
    boardId: made.board.id,
    columnId: made.columns[0]?.id,
    assigneeUserId: made.agent.id,
    agentRepositoryId: repository.id,
  };
  const members = Object.entries(value as object).map(([name, member]) => [name, member && (ids[name] ?? member)]);
  return Object.fromEntries(members);
}
