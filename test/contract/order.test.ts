import { expect, test } from "bun:test";
import type { Scope } from "../../openapi/schema/scopes.ts";
import { createBoard } from "../../server/boards/create-board.ts";
import { createProject } from "../../server/boards/create-project.ts";
import type { Reach } from "../../server/core/fields.ts";
import { updateToken } from "../../server/credentials/update-credential.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { newToken, post } from "../support/tickets.ts";

/** A valid request, in which a row of the table spoils one thing. */
interface Draft {
  path: string;
  method: string;
  credential: boolean;
  spent: boolean;
  scopes: Scope[];
  key: string | undefined;
  /** The key is already bound to a ticket. */
  bound: boolean;
  reach: Reach | undefined;
  body: Record<string, unknown>;
}

interface Row {
  name: string;
  spoil(draft: Draft, elsewhere: Elsewhere): void;
  status: number;
  error?: string;
  headers?: Record<string, string>;
}

/** Another project, which the token does not reach or which is the second one. */
interface Elsewhere {
  project: string;
  board: string;
  column: string;
  here: string;
}

const absent = "0198c0de-0000-7000-8000-00000000dead";

/** The order of answers of `POST /api/v1/tickets`: the first row that applies is the answer. */
const rows: Row[] = [
  {
    name: "unknown path",
    spoil: (draft) => {
      draft.path = "/api/v1/tickets/";
    },
    status: 404,
    error: "not_found",
  },
  {
    name: "wrong method",
    spoil: (draft) => {
      draft.method = "PUT";
    },
    status: 405,
    error: "method_not_allowed",
    headers: { allow: "POST" },
  },
  {
    name: "credential",
    spoil: (draft) => {
      draft.credential = false;
    },
    status: 401,
    error: "invalid_api_token",
    headers: { "www-authenticate": "Bearer" },
  },
  {
    name: "rate limit",
    spoil: (draft) => {
      draft.spent = true;
    },
    status: 429,
    error: "rate_limit_exceeded",
  },
  {
    name: "scope",
    spoil: (draft) => {
      draft.scopes = [];
    },
    status: 403,
    error: "insufficient_scope",
    headers: { "www-authenticate": 'Bearer error="insufficient_scope"' },
  },
  {
    name: "key too long",
    spoil: (draft) => {
      draft.key = "k".repeat(256);
    },
    status: 400,
    error: "invalid_idempotency_key",
  },
  {
    name: "key bound",
    spoil: (draft) => {
      draft.key ??= "bound";
      draft.bound = true;
    },
    status: 201,
    headers: { "idempotent-replayed": "true" },
  },
  {
    name: "body",
    spoil: (draft) => {
      draft.body["title"] = 7;
    },
    status: 400,
    error: "invalid_input",
  },
  {
    name: "date range",
    spoil: (draft) => {
      Object.assign(draft.body, { startsAt: "2026-03-02", dueAt: "2026-03-01" });
    },
    status: 400,
    error: "invalid_date_range",
  },
  {
    name: "project required",
    spoil: (draft, { project, here }) => {
      draft.reach = [here, project];
    },
    status: 400,
    error: "project_required",
  },
  {
    name: "project not found",
    spoil: (draft) => {
      draft.body["projectId"] ??= absent;
    },
    status: 404,
    error: "project_not_found",
  },
  {
    name: "board",
    spoil: (draft, { board }) => {
      draft.body["boardId"] = board;
    },
    status: 404,
    error: "board_not_found",
  },
  {
    name: "column",
    spoil: (draft, { column }) => {
      draft.body["columnId"] = column;
    },
    status: 404,
    error: "column_not_found",
  },
  {
    name: "assignee",
    spoil: (draft) => {
      draft.body["assigneeUserId"] = absent;
    },
    status: 400,
    error: "not_a_member",
  },
  {
    name: "repository",
    spoil: (draft) => {
      draft.body["agentRepositoryId"] = absent;
    },
    status: 400,
    error: "invalid_agent_repository",
  },
];

/** Two rows that exclude each other. */
const apart = new Set(["unknown path, wrong method", "key too long, key bound", "project required, project not found"]);

describeTargets("order of answers", (target) => {
  let elsewhere: Elsewhere | undefined;

  async function answer(spoilers: Row[]): Promise<{ response: Response; body: Record<string, unknown> }> {
    const { installation } = target();
    elsewhere ??= await otherProject(target());
    const draft: Draft = {
      path: "/api/v1/tickets",
      method: "POST",
      credential: true,
      spent: false,
      scopes: ["tickets:write"],
      key: undefined,
      bound: false,
      reach: undefined,
      body: { title: "Right in everything" },
    };
    for (const row of spoilers) row.spoil(draft, elsewhere);

    const { id, token } = await newToken(installation, draft.reach ? { reach: draft.reach } : {});
    let used = 0;
    if (draft.bound) {
      const first = await post(target(), {
        token,
        key: draft.key,
        body: { title: "First", projectId: installation.made.project.id },
      });
      expect(first.status).toBe(201);
      used++;
    }
    if (draft.spent && used === 0) {
      await post(target(), { token, body: "{}" });
      used++;
    }
    const { ctx } = installation;
    const change = { scopes: draft.scopes, ...(draft.spent ? { limit: used } : {}) };
    await updateToken({ ctx, input: { id, change } });
    const response = await post(target(), { ...draft, token: draft.credential ? token : "itk_unknown" });
    return { response, body: (await response.json()) as Record<string, unknown> };
  }

  test("nothing spoiled is 201", async () => {
    const { response, body } = await answer([]);
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe(String(body["url"]));
    expect(response.headers.has("idempotent-replayed")).toBe(false);
  });

  for (const row of rows) {
    test(row.name, async () => {
      expectRow(await answer([row]), row);
    });
  }

  for (const [i, first] of rows.entries()) {
    for (const second of rows.slice(i + 1)) {
      if (apart.has(`${first.name}, ${second.name}`)) continue;
      test(`${first.name} goes before ${second.name}`, async () => {
        expectRow(await answer([first, second]), first);
      });
    }
  }
});

function expectRow({ response, body }: { response: Response; body: Record<string, unknown> }, row: Row) {
  expect({ status: response.status, error: body["error"] }).toEqual({ status: row.status, error: row.error });
  for (const [name, value] of Object.entries(row.headers ?? {})) expect(response.headers.get(name)).toBe(value);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
}

async function otherProject({ installation: { ctx, made } }: Target): Promise<Elsewhere> {
  const { id, board } = await createProject({ ctx, input: { name: "Elsewhere" } });
  const second = await createBoard({ ctx, input: { projectId: made.project.id, name: "Second", columns: true } });
  return { project: id, board: board.id, column: second.columns[0]?.id ?? "", here: made.project.id };
}
