import {
  AuthenticationError,
  InvalidRequestError,
  isApiError,
  LimitError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  TicketsClient,
  type TicketsOptions,
} from "@intake/client/tickets";
import { equal, ok } from "./check.ts";
import type { Case, Env } from "./env.ts";
import { ask, discreet, failure } from "./kit.ts";

interface Given {
  token?: string;
  projectId?: string;
  /** The next three: what the control server is asked for with a new token. */
  reach?: "all" | string[];
  scopes?: string[];
  limit?: number;
}

export async function clientOf(
  env: Env,
  input: Omit<Given, "token" | "projectId"> = {},
  options: Partial<TicketsOptions> = {},
) {
  const { token, projectId } = await ask<{ token: string; projectId: string }>(env, "/tokens", {
    method: "POST",
    body: JSON.stringify(input),
  });
  const tickets = new TicketsClient({ baseUrl: env.baseUrl, token, allowBrowser: true, logger: discreet, ...options });
  return { tickets, token, projectId };
}

const absent = "019ac1c5-9f2e-7c3b-9d4e-2f7a1b3c5d7e";

export const ticketBehaviour: Case[] = [
  [
    "a ticket is created as it was given",
    async (env) => {
      const { tickets, projectId } = await clientOf(env);
      const given = {
        title: "Größe: 😀 \u0301 “quoted” \\ \r\n end",
        description: "Line one\nLine two\t\u00a0",
        priority: "high",
        startsAt: "2028-02-29",
        dueAt: null,
        assigneeUserId: null,
      } as const;
      const ticket = await tickets.create(given);
      equal([ticket.title, ticket.projectId], [given.title, projectId]);
      ok(ticket.url.endsWith(`/cards/${ticket.id}`), `url: ${ticket.url}`);
      const shown = await ask<Record<string, unknown>>(env, `/tickets/${ticket.id}`);
      const { title, description, priority, startsAt } = given;
      equal(
        {
          title: shown["title"],
          description: shown["description"],
          priority: shown["priority"],
          startsAt: shown["startsAt"],
        },
        { title, description, priority, startsAt },
        "what was stored",
      );
    },
  ],
  [
    "the same key gives the first ticket again, and withResponse says so",
    async (env) => {
      const { tickets } = await clientOf(env);
      const idempotencyKey = `build 7312 "~" ${crypto.randomUUID()}`;
      const first = await tickets.create({ title: "Once" }, { idempotencyKey }).withResponse();
      const again = await tickets.create({ title: "Once" }, { idempotencyKey }).withResponse();
      const other = await tickets.create({ title: "Another" }, { idempotencyKey }).withResponse();
      equal([first.replayed, again.replayed, other.replayed], [false, true, true], "replayed");
      equal([first.mismatch, again.mismatch, other.mismatch], [false, false, true], "mismatch");
      equal(again.data, first.data, "the ticket");
      equal(other.data, first.data, "the ticket for another body");
      equal([again.idempotencyKey, again.response.status], [idempotencyKey, 201]);
      ok(again.requestId && again.requestId !== first.requestId, `requestId: ${again.requestId}`);
    },
  ],
  [
    "without a key every call is a ticket of its own, with a key that is told",
    async (env) => {
      const { tickets } = await clientOf(env);
      const [first, second] = await Promise.all([
        tickets.create({ title: "Twins" }).withResponse(),
        tickets.create({ title: "Twins" }).withResponse(),
      ]);
      ok(first.data.id !== second.data.id, "one ticket for two calls");
      ok(first.idempotencyKey !== second.idempotencyKey, "one key for two calls");
      const replay = await tickets.create({ title: "Twins" }, { idempotencyKey: first.idempotencyKey });
      equal(replay.id, first.data.id, "the ticket of the told key");
    },
  ],
  [
    "fifty calls at once with one key make one ticket",
    async (env) => {
      const { tickets } = await clientOf(env);
      const idempotencyKey = crypto.randomUUID();
      const made = await Promise.all(
        Array.from({ length: 50 }, () => tickets.create({ title: "One" }, { idempotencyKey }).withResponse()),
      );
      equal(new Set(made.map(({ data }) => data.id)).size, 1, "tickets");
      equal(made.filter(({ replayed }) => !replayed).length, 1, "answers that are no replay");
    },
  ],
  [
    "invalid input is told with every fault",
    async (env) => {
      const { tickets } = await clientOf(env);
      const wrong = { title: "", dueAt: "2026-02-29", surprise: 1 } as unknown as { title: string };
      const error = await failure(tickets.create(wrong));
      ok(error instanceof InvalidRequestError, `${error.name} is no InvalidRequestError`);
      equal([error.status, error.code], [400, "invalid_input"]);
      equal(
        error.details?.map(({ path, code }) => [path, code]).sort(),
        [
          ["/dueAt", "bad_format"],
          ["/surprise", "unknown_field"],
          ["/title", "too_short"],
        ],
        "details",
      );
      ok(error.requestId, "no request id");
    },
  ],
  [
    "each refusal has its class and code",
    async (env) => {
      const { tickets } = await clientOf(env);
      const range = await failure(tickets.create({ title: "x", startsAt: "2026-02-02", dueAt: "2026-02-01" }));
      ok(isApiError(range), range.name);
      equal([range.status, range.code], [400, "invalid_date_range"]);
      const nowhere = await failure(tickets.create({ title: "x", projectId: absent }));
      ok(nowhere instanceof NotFoundError, nowhere.name);
      equal([nowhere.status, nowhere.code], [404, "project_not_found"]);

      const { tickets: readOnly } = await clientOf(env, { scopes: [] });
      const scope = await failure(readOnly.create({ title: "x" }));
      ok(scope instanceof PermissionError, scope.name);
      equal([scope.status, scope.code], [403, "insufficient_scope"]);

      const unknown = new TicketsClient({ baseUrl: env.baseUrl, token: env.token, allowBrowser: true });
      const denied = await failure(unknown.create({ title: "x" }));
      ok(denied instanceof AuthenticationError, denied.name);
      equal([denied.status, denied.code], [401, "invalid_api_token"]);
    },
  ],
  [
    "a spent minute is a RateLimitError that says how long to wait",
    async (env) => {
      const { tickets } = await clientOf(env, { limit: 2 }, { maxRetryAfterMs: 1_000 });
      await tickets.create({ title: "one" });
      await tickets.create({ title: "two" });
      const error = await failure(tickets.create({ title: "three" }));
      ok(error instanceof RateLimitError, `${error.name} is no RateLimitError`);
      equal([error.status, error.code], [429, "rate_limit_exceeded"]);
      ok(
        (error.retryAfterMs ?? 0) > 30_000 && (error.retryAfterMs ?? 0) <= 60_000,
        `retryAfterMs: ${error.retryAfterMs}`,
      );
    },
  ],
  [
    "a key that is none is found before anything is sent",
    async (env) => {
      const { tickets } = await clientOf(env);
      for (const idempotencyKey of ["", "  ", "x".repeat(256), "a\nb", "ü", "schlüssel-✓"]) {
        const error = await failure(tickets.create({ title: "x" }, { idempotencyKey }));
        ok(error instanceof LimitError, `${error.name} for ${JSON.stringify(idempotencyKey)}`);
      }
      const longest = await tickets.create({ title: "x" }, { idempotencyKey: crypto.randomUUID().padEnd(255, "~") });
      ok(longest.id, "no ticket");
    },
  ],
  [
    "input that is no JSON is refused without a request",
    async (env) => {
      const { tickets } = await clientOf(env);
      const cycle: Record<string, unknown> = { title: "x" };
      cycle["self"] = cycle;
      for (const input of [cycle, { title: 1n }, undefined, () => {}]) {
        await failure(tickets.create(input as unknown as { title: string }));
      }
    },
  ],
  [
    "the constructor refuses the other kind of credential, mistyped ones and addresses that are none",
    async (env) => {
      const make = (options: Partial<TicketsOptions>) =>
        failure(
          Promise.resolve().then(
            () => new TicketsClient({ baseUrl: env.baseUrl, token: env.token, allowBrowser: true, ...options }),
          ),
        );
      const mistyped = env.token.slice(0, 10) + (env.token[10] === "a" ? "b" : "a") + env.token.slice(11);
      for (const token of [env.key, mistyped, "", "secret"]) await make({ token });
      for (const baseUrl of ["", "intake.example.org", "ftp://x", "http://user:pw@x", "http://x/?a=b"])
        await make({ baseUrl });
    },
  ],
  [
    "a page is refused unless it is allowed",
    async (env) => {
      const inPage = "document" in globalThis;
      const made = await Promise.resolve()
        .then(() => new TicketsClient({ baseUrl: env.baseUrl, token: env.token }))
        .then(
          () => true,
          () => false,
        );
      equal(made, !inPage, "made without allowBrowser");
    },
  ],
];
