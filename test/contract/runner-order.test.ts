import { expect, test } from "bun:test";
import { limits } from "../../openapi/schema/limits.ts";
import { updateToken } from "../../server/credentials/update-credential.ts";
import { type Held, heldRun, machine, postRunner, runnerToken, runProject } from "../support/runs.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { post, type Token } from "../support/tickets.ts";

const absent = "0198c0de-0000-7000-8000-00000000dead";

/** A valid request, in which a row of the table spoils one thing. */
interface Draft {
  path: string;
  method: string;
  credential: boolean;
  spent: boolean;
  scope: boolean;
  runId: string;
  body: Record<string, unknown>;
}

interface Row {
  name: string;
  /** The calls to which the row applies; all when absent. */
  only?: readonly CallName[];
  spoil(draft: Draft): void;
  status: number;
  error: string;
  headers?: Record<string, string>;
}

type CallName = "claim" | "heartbeat" | "log" | "complete";
const aboutRuns = ["heartbeat", "log", "complete"] as const;

/** The order of answers of the runner protocol: the first row that applies is the answer. */
const rows: Row[] = [
  {
    name: "unknown path",
    spoil: (draft) => {
      draft.path += "/";
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
      draft.scope = false;
    },
    status: 403,
    error: "insufficient_scope",
    headers: { "www-authenticate": 'Bearer error="insufficient_scope"' },
  },
  {
    name: "body",
    spoil: (draft) => {
      draft.body["colour"] = "red";
    },
    status: 400,
    error: "invalid_input",
  },
  {
    name: "run",
    only: aboutRuns,
    spoil: (draft) => {
      draft.runId = absent;
    },
    status: 404,
    error: "not_found",
  },
  {
    name: "lease",
    only: aboutRuns,
    spoil: (draft) => {
      draft.body["leaseToken"] = "lease_of_somebody_else";
    },
    status: 409,
    error: "lease_lost",
  },
  {
    name: "gap",
    only: ["log"],
    spoil: (draft) => {
      draft.body["offset"] = 7;
    },
    status: 409,
    error: "log_gap",
  },
  {
    name: "pull request",
    only: ["complete"],
    spoil: (draft) => {
      draft.body["pullRequestUrl"] = "https://elsewhere.example.org/team/app/pulls/1";
    },
    status: 400,
    error: "invalid_input",
  },
];

const bodies: Record<CallName, Record<string, unknown>> = {
  claim: { claimId: "a claim", runner: machine },
  heartbeat: {},
  log: { offset: 0, text: "Working\n" },
  complete: { outcome: "succeeded", creditsUsed: 0 },
};

describeTargets("order of answers of the runner protocol", (target) => {
  let here: Shared | undefined;

  async function answer(call: CallName, spoilers: readonly Row[]) {
    here ??= await prepare(target());
    const { held, usual, mute, spent } = here;
    const draft: Draft = {
      path: call === "claim" ? "claim" : `runs/:id/${call}`,
      method: "POST",
      credential: true,
      spent: false,
      scope: true,
      runId: held.runId,
      body: { ...bodies[call], ...(call === "claim" ? {} : { leaseToken: held.leaseToken }) },
    };
    for (const row of spoilers) row.spoil(draft);
    const token = draft.spent ? spent.token : draft.scope ? usual : mute;
    if (draft.spent) {
      const { ctx } = target().installation;
      await updateToken({ ctx, input: { id: spent.id, change: { scopes: draft.scope ? ["runs:execute"] : [] } } });
    }
    const response = await postRunner(target(), draft.path.replace(":id", draft.runId), {
      method: draft.method,
      token: draft.credential ? token : "itk_unknown",
      body: draft.body,
    });
    const text = await response.text();
    return { response, body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown> };
  }

  test("600 requests in a minute, apart from those for tickets", async () => {
    here ??= await prepare(target());
    const { token } = here.spent;
    for (let sent = 0; sent < limits.runnerRequestsPerWindow; sent += 100) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => postRunner(target(), "claim", { token, body: "{}" })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    }
    expect((await postRunner(target(), "claim", { token })).status).toBe(429);
    expect((await post(target(), { token })).status).toBe(403);
  }, 180_000);

  for (const call of ["claim", ...aboutRuns] as const) {
    const own = rows.filter(({ only }) => !only || only.includes(call));

    for (const [i, first] of own.entries()) {
      test(`${call}: ${first.name}`, async () => {
        expectRow(await answer(call, [first]), first);
      });
      for (const second of own.slice(i + 1)) {
        // An unknown address answers the same to every method.
        if (first.name === "unknown path" && second.name === "wrong method") continue;
        test(`${call}: ${first.name} goes before ${second.name}`, async () => {
          expectRow(await answer(call, [first, second]), first);
        });
      }
    }
  }

  // Last, because a completion ends the run.
  for (const call of ["claim", ...aboutRuns] as const) {
    test(`${call}: nothing spoiled is right`, async () => {
      const { response } = await answer(call, []);
      expect(response.status).toBe(call === "claim" ? 204 : 200);
      expect(response.headers.get("ratelimit-policy")).toBe(
        `"runner";q=${limits.runnerRequestsPerWindow};w=${limits.windowSeconds}`,
      );
      expect(response.headers.get("ratelimit")).toMatch(/^"runner";r=\d+;t=\d+$/);
    });
  }
});

function expectRow({ response, body }: { response: Response; body: Record<string, unknown> }, row: Row) {
  expect({ status: response.status, error: body["error"] }).toEqual({ status: row.status, error: row.error });
  for (const [name, value] of Object.entries(row.headers ?? {})) expect(response.headers.get(name)).toBe(value);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
}

interface Shared {
  held: Held;
  usual: string;
  /** A token without the scope. */
  mute: string;
  /** A token that has used up its requests of this minute once the first test is over. */
  spent: Token;
}

async function prepare(target: Target): Promise<Shared> {
  const { ctx } = target.installation;
  const project = await runProject({ ctx });
  const held = await heldRun(target, project);
  const reach = [project.projectId];
  const [mute, spent] = await Promise.all([
    runnerToken({ ctx }, { reach, scopes: [] }),
    runnerToken({ ctx }, { reach, limit: 1_000_000 }),
  ]);
  return { held, usual: project.runner.token, mute: mute.token, spent };
}
