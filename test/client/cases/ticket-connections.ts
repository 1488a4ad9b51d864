import { ConnectionError, RedirectError, TimeoutError } from "@intake/client/tickets";
import { accept, type Move, type Step, step, write } from "../fault-script.ts";
import { equal, ok, within } from "./check.ts";
import type { Case } from "./env.ts";
import { failure, faultyTickets } from "./kit.ts";
import { sameOnEveryTry } from "./tries.ts";

const title = { title: "Nightly build failed" };
const reset: Move = { do: "reset" };
const end: Move = { do: "end" };
const commit: Move = { do: "commit" };
const type = { "content-type": "application/json" };
const half = '{"id":"019ac1c5-9f2e-7c3b-9d4e-2f7a1b3c5d7e","title":"Nightly bu';
const chunked = { ...type, "transfer-encoding": "chunked" };
const chunk = `${half.length.toString(16)}\r\n${half}\r\n`;

/** Less than `timeoutMs` where it is not set, and far more than a busy machine takes. */
const soonMs = 20_000;

/** The ticket was created but its answer was cut off: the next try gets the ticket, and no second one is created. */
function lost(how: string, step: Step): Case {
  return [
    `a ticket whose answer was ${how} is found by its key, and made once`,
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step, accept]);
      const { data, replayed } = await tickets.create(title).withResponse();
      equal(data.title, title.title, "title");
      if (!env.crossOrigin) equal(replayed, true, "replayed");
      const { requests, stored } = await record();
      equal(stored, 1, "tickets made");
      sameOnEveryTry(requests, 2);
    },
  ];
}

function slow(how: string, step: Step): Case {
  return [
    `${how}: the try ends after timeoutMs, the next one succeeds`,
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step, accept], { timeoutMs: 1_000 });
      const began = Date.now();
      await tickets.create(title);
      within(Date.now() - began, 950, soonMs, "time until the ticket");
      sameOnEveryTry((await record()).requests, 2);
    },
  ];
}

function redirect(status: number): Case {
  return [
    `a redirect with ${status} is an error, and nothing goes to its target`,
    async (env) => {
      const away = write(status, { headers: { location: "$elsewhere/api/v1/tickets" } });
      const { tickets, record } = await faultyTickets(env, [step(away), accept]);
      const error = await failure(tickets.create(title));
      ok(error instanceof RedirectError, `${error.name} is no RedirectError: ${error.message}`);
      const { requests, elsewhere } = await record();
      equal(requests.length, 1, "tries");
      equal(elsewhere, 0, "visits of the target");
    },
  ];
}

export const ticketConnections: Case[] = [
  [
    "a connection that is reset before the request is read is tried again",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [{ moves: [reset], unread: true }, accept]);
      await tickets.create(title);
      const { requests, stored } = await record();
      equal(stored, 1, "tickets made");
      sameOnEveryTry(requests, 2);
    },
  ],
  [
    "three resets are a ConnectionError",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [{ moves: [reset], unread: true }]);
      const error = await failure(tickets.create(title));
      ok(error instanceof ConnectionError, `${error.name} is no ConnectionError`);
      sameOnEveryTry((await record()).requests, 3);
    },
  ],
  [
    "nobody listening is a ConnectionError",
    async (env) => {
      const { tickets } = await faultyTickets(env, [], { baseUrl: "http://127.0.0.1:9", maxRetries: 1 });
      const error = await failure(tickets.create(title));
      ok(error instanceof ConnectionError, `${error.name} is no ConnectionError`);
    },
  ],
  lost("never sent, the connection reset", step(commit, reset)),
  lost("never sent, the connection ended", step(commit, end)),
  lost(
    "cut, its Content-Length being a lie",
    step(commit, write(201, { headers: type, body: half, length: 500 }), end),
  ),
  lost(
    "reset in the middle",
    step(commit, write(201, { headers: type, body: half, length: 500 }), { do: "wait", ms: 100 }, reset),
  ),
  lost(
    "cut between two chunks",
    step(
      commit,
      write(201, { headers: chunked, length: null }),
      { do: "write", bytes: chunk },
      { do: "wait", ms: 100 },
      end,
    ),
  ),
  lost("whole by its length and half by its JSON", step(commit, write(201, { headers: type, body: half }))),
  lost("an empty 201", step(commit, write(201, { headers: type }))),
  lost("a 201 without an id", step(commit, write(201, { headers: type, body: '{"title":"Nightly build failed"}' }))),
  lost(
    "cut in its head",
    step(commit, { do: "write", bytes: "HTTP/1.1 201 Created\r\ncontent-ty" }, { do: "wait", ms: 100 }, end),
  ),
  lost("no HTTP", step(commit, { do: "write", bytes: "SSH-2.0-OpenSSH_9.2\r\n\r\n" }, { do: "wait", ms: 100 }, end)),
  lost(
    "the page of a captive portal",
    step(commit, write(200, { headers: { "content-type": "text/html" }, body: "<h1>Wi-Fi</h1>" })),
  ),
  [
    "no answer is a TimeoutError after every try had its time",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step()], { timeoutMs: 500 });
      const began = Date.now();
      const error = await failure(tickets.create(title));
      ok(error instanceof TimeoutError, `${error.name} is no TimeoutError`);
      within(Date.now() - began, 1_450, soonMs, "time until the error");
      sameOnEveryTry((await record()).requests, 3);
    },
  ],
  slow("no answer", step()),
  slow("a head and no body", step(commit, write(201, { headers: type, length: 500 }))),
  slow("half a body", step(commit, write(201, { headers: type, body: half, length: 500 }))),
  slow(
    "a body that comes byte by byte for ever",
    step(commit, write(201, { headers: chunked, length: null }), { do: "pour", bytes: "1\r\n \r\n", everyMs: 100 }),
  ),
  slow(
    "an error that pours for ever",
    step(commit, write(400, { headers: chunked, length: null }), {
      do: "pour",
      bytes: `100\r\n${"x".repeat(256)}\r\n`,
      everyMs: 20,
    }),
  ),
  [
    "a slow answer is waited for up to timeoutMs",
    async (env) => {
      const slowly = step({ do: "wait", ms: 1_200 }, { do: "accept" });
      const { tickets, record } = await faultyTickets(env, [slowly], { timeoutMs: 30_000 });
      await tickets.create(title);
      sameOnEveryTry((await record()).requests, 1);
    },
  ],
  [
    "an answer that comes in pieces is one answer",
    async (env) => {
      const members = '"projectId":"p","boardId":"b","columnId":"c","createdAt":"t","url":"u"}';
      const chunks = [half, 'ild failed",', members].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`);
      const head = write(201, { headers: chunked, length: null });
      const pieces = [...chunks, "0\r\n\r\n"].flatMap((bytes): Move[] => [
        { do: "wait", ms: 100 },
        { do: "write", bytes },
      ]);
      const { tickets, record } = await faultyTickets(env, [step(head, ...pieces)]);
      equal((await tickets.create(title)).title, title.title, "title");
      sameOnEveryTry((await record()).requests, 1);
    },
  ],
  ...[301, 302, 303, 307, 308].map(redirect),
  [
    "a redirect without a target is an error too",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step(write(302)), accept]);
      const error = await failure(tickets.create(title));
      ok(error instanceof RedirectError || error instanceof ConnectionError, `${error.name}: ${error.message}`);
      ok((await record()).stored === 0 || error instanceof ConnectionError, "a ticket was made");
    },
  ],
  [
    "informational answers before the real one are passed over",
    async (env) => {
      const hints: Move = { do: "write", bytes: "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n" };
      const proceed: Move = { do: "write", bytes: "HTTP/1.1 102 Processing\r\n\r\n" };
      const { tickets, record } = await faultyTickets(env, [step(proceed, hints, { do: "accept" })]);
      await tickets.create(title);
      sameOnEveryTry((await record()).requests, 1);
    },
  ],
  [
    "a connection that was kept and is closed between two requests costs nothing",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step({ do: "accept" }, end), accept]);
      const first = await tickets.create(title);
      const second = await tickets.create(title);
      ok(first.id !== second.id, "one ticket for two calls");
      equal((await record()).stored, 2, "tickets made");
    },
  ],
  [
    "a connection that was kept and is reset by the next request is tried again",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [accept, { moves: [reset], unread: true }, accept]);
      await tickets.create(title);
      await tickets.create(title);
      equal((await record()).stored, 2, "tickets made");
    },
  ],
];
