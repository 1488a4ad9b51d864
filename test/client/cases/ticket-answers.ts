import { ApiError, ConnectionError, InvalidRequestError, isApiError, NotFoundError } from "@intake/client/tickets";
import { accept, html, json, type Step, step, write } from "../fault-script.ts";
import { equal, ok, within } from "./check.ts";
import type { Case } from "./env.ts";
import { failure, faultyTickets } from "./kit.ts";
import { sameOnEveryTry } from "./tries.ts";

const title = { title: "Nightly build failed" };
const ticket = {
  id: "019ac1c5-9f2e-7c3b-9d4e-2f7a1b3c5d7e",
  title: "Nightly build failed",
  projectId: "019ac1c5-9f2e-7c3b-9d4e-2f7a1b3c5d7f",
  boardId: "019ac1c5-9f2e-7c3b-9d4e-2f7a1b3c5d80",
  columnId: "019ac1c5-9f2e-7c3b-9d4e-2f7a1b3c5d81",
  createdAt: "2026-11-21T12:00:00.000Z",
  url: "https://intake.example.org/cards/019ac1c5-9f2e-7c3b-9d4e-2f7a1b3c5d7e",
};

/** Expects one refusal, with an error that every way of printing it survives. */
function odd(what: string, answer: Step, status: number, code?: string): Case {
  return [
    `an error with ${what} is an ApiError of its status`,
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [answer, accept]);
      const error = await failure(tickets.create(title));
      ok(isApiError(error), `${error.name} is no ApiError`);
      equal(error.status, status, "status");
      if (code !== undefined) equal(error.code, code, "code");
      ok(typeof error.message === "string" && error.message !== "", "no message");
      equal((await record()).requests.length, 1, "tries");
    },
  ];
}

const body = (text: string, type = "application/json") =>
  step(write(400, { headers: { "content-type": type }, body: text }));

export const ticketAnswers: Case[] = [
  [
    "members that are not known are kept, whatever their names",
    async (env) => {
      const more = '"labels":["a"],"__proto__":{"polluted":true},"constructor":1,"then":2,"toJSON":3}';
      const text = JSON.stringify(ticket).replace(/}$/, `,${more}`);
      const { tickets } = await faultyTickets(env, [
        step(write(201, { body: text, headers: { "content-type": "application/json" } })),
      ]);
      const { data } = await tickets.create(title).withResponse();
      equal(data.id, ticket.id, "id");
      equal((data as unknown as { labels: string[] }).labels, ["a"], "labels");
      ok(!("polluted" in {}), "the prototype of all objects was changed");
    },
  ],
  [
    "times stay strings, as the server wrote them",
    async (env) => {
      const { tickets } = await faultyTickets(env, [step(json(201, { ...ticket, title: "2026-01-01" }))]);
      const { title: text, createdAt } = await tickets.create(title);
      equal([text, createdAt], ["2026-01-01", ticket.createdAt]);
    },
  ],
  [
    "JSON under another media type is read all the same",
    async (env) => {
      const { tickets } = await faultyTickets(env, [
        step(write(201, { body: JSON.stringify(ticket), headers: { "content-type": "text/plain" } })),
      ]);
      equal((await tickets.create(title)).id, ticket.id, "id");
    },
  ],
  [
    "an unknown code is kept, with details and request id",
    async (env) => {
      const details = [{ path: "/title", code: "brand_new_fault", message: "No." }];
      const refusal = json(
        400,
        { error: "brand_new", message: "Try tea.", details, more: 1 },
        { "x-request-id": "r-7" },
      );
      const { tickets } = await faultyTickets(env, [step(refusal)]);
      const error = await failure(tickets.create(title));
      ok(error instanceof InvalidRequestError, `${error.name} is no InvalidRequestError`);
      equal([error.code, error.message, error.requestId], ["brand_new", "Try tea.", "r-7"]);
      equal(error.details, details, "details");
    },
  ],
  [
    "404 with a page is a NotFoundError with its text",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step(html(404, "<h1>nginx</h1>")), accept]);
      const error = await failure(tickets.create(title));
      ok(error instanceof NotFoundError, `${error.name} is no NotFoundError`);
      equal([error.status, error.bodyText], [404, "<h1>nginx</h1>"]);
      equal((await record()).requests.length, 1, "tries");
    },
  ],
  [
    "every family of statuses has its class, and only its own are tried again",
    async (env) => {
      const families = {
        400: "InvalidRequestError",
        401: "AuthenticationError",
        403: "PermissionError",
        413: "PayloadTooLargeError",
      };
      for (const [status, name] of Object.entries(families)) {
        const { tickets, record } = await faultyTickets(env, [step(json(Number(status), { error: "x" })), accept]);
        const error = await failure(tickets.create(title));
        equal(error.name, name, `name for ${status}`);
        ok(error instanceof ApiError, `${name} is no ApiError`);
        equal((await record()).requests.length, 1, `tries for ${status}`);
      }
    },
  ],
  odd("an unknown status", step(json(418, { error: "teapot" })), 418, "teapot"),
  odd("a conflict", step(json(409, { error: "conflict" })), 409, "conflict"),
  odd("no body", step(write(400)), 400),
  odd("null for JSON", body("null"), 400),
  odd("a list for JSON", body('["error"]'), 400),
  odd("a text for JSON", body('"error"'), 400),
  odd("a code that is no text", body('{"error":{"code":5},"message":{"a":1},"details":"none"}'), 400),
  odd("half a JSON", body('{"error":"inval'), 400),
  odd("bytes that are no UTF-8", body('{"error":"\xff\xfe","message":"\x80"}'), 400),
  odd(
    "a code that names a member of every object",
    body('{"error":"__proto__","message":"constructor"}'),
    400,
    "__proto__",
  ),
  [
    "a message of megabytes is cut",
    async (env) => {
      const { tickets } = await faultyTickets(env, [
        step(json(400, { error: "invalid_input", message: "no ".repeat(1_000_000) })),
      ]);
      const error = await failure(tickets.create(title));
      within(error.message.length, 1, 100_000, "length of the message");
    },
  ],
  [
    "an error that is its own cause is told of like any other",
    async (env) => {
      const error = new TypeError("round and round");
      error.cause = error;
      const { tickets } = await faultyTickets(env, [], { fetch: () => Promise.reject(error), maxRetries: 0 });
      ok((await failure(tickets.create(title))) instanceof ConnectionError, "no ConnectionError");
    },
  ],
  [
    "a fetch that gives or throws nonsense is a ConnectionError",
    async (env) => {
      const nonsense = [() => Promise.reject(undefined), () => Promise.resolve(undefined), () => Promise.reject("no")];
      for (const fetch of nonsense as unknown as (typeof globalThis.fetch)[]) {
        const { tickets } = await faultyTickets(env, [], { fetch: fetch as never, maxRetries: 0 });
        ok((await failure(tickets.create(title))) instanceof ConnectionError, "no ConnectionError");
      }
    },
  ],
  [
    "the token may come from an async function, asked at every try",
    async (env) => {
      let asked = 0;
      const token = async () => {
        asked++;
        return env.token;
      };
      const { tickets, record } = await faultyTickets(env, [step(html(502)), accept], { token });
      await tickets.create(title);
      const { requests } = await record();
      equal(asked, 2, "times asked");
      for (const { headers } of requests) equal(headers["authorization"], `Bearer ${env.token}`, "authorization");
    },
  ],
  [
    "what is changed after the call changes no try",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step(html(502)), accept]);
      const input = { title: "As it was" };
      const creating = tickets.create(input);
      input.title = "Changed";
      equal((await creating).title, "As it was", "title");
      sameOnEveryTry((await record()).requests, 2);
    },
  ],
];
