import { ServerError } from "@intake/client/tickets";
import { accept, html, json, step, write } from "../fault-script.ts";
import { equal, ok, within } from "./check.ts";
import type { Case } from "./env.ts";
import { failure, faultyTickets } from "./kit.ts";
import { oneTicket, sameOnEveryTry } from "./tries.ts";

const limited = { error: "rate_limit_exceeded", message: "Too many requests." };
const title = { title: "Nightly build failed" };

function statusCase(status: number): Case {
  return [
    `${status} is tried again`,
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step(json(status, { error: "x" })), accept]);
      await tickets.create(title);
      oneTicket(await record(), 2);
    },
  ];
}

export const ticketTries: Case[] = [
  ...[408, 429, 500, 501, 502, 504, 599].map(statusCase),
  [
    "after the last try the error of that try is thrown",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step(html(502))]);
      const error = await failure(tickets.create(title));
      ok(error instanceof ServerError && error.status === 502, `${error.name}: ${error.message}`);
      ok(error.bodyText.includes("Nothing to see"), `bodyText: ${error.bodyText}`);
      sameOnEveryTry((await record()).requests, 3);
    },
  ],
  [
    "maxRetries 0 means one try, with a key all the same",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step(html(502))], { maxRetries: 0 });
      await failure(tickets.create(title));
      const { requests } = await record();
      sameOnEveryTry(requests, 1);
      ok(/^[0-9a-f-]{36}$/.test(requests[0]?.headers["idempotency-key"] ?? ""), "no key");
    },
  ],
  [
    "maxRetries of a call counts more than the client's",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [step(html(502))], { maxRetries: 0 });
      await failure(tickets.create(title, { maxRetries: 1 }));
      equal((await record()).requests.length, 2, "tries");
    },
  ],
  [
    "no wait is begun that the deadline would cut",
    async (env) => {
      const refusal = step(json(429, limited, { "retry-after": "50" }));
      const { tickets, record } = await faultyTickets(env, [refusal, accept], { deadlineMs: 40_000 });
      const began = Date.now();
      await failure(tickets.create(title));
      within(Date.now() - began, 0, 30_000, "time until the error");
      equal((await record()).requests.length, 1, "tries");
    },
  ],
  [
    "the deadline holds over all tries",
    async (env) => {
      const { tickets } = await faultyTickets(env, [step()], { timeoutMs: 700, deadlineMs: 1_000, maxRetries: 9 });
      const began = Date.now();
      const error = await failure(tickets.create(title));
      equal(error.name, "TimeoutError", "name");
      // Ten tries without it would take seven seconds at least.
      within(Date.now() - began, 600, 6_000, "time until the error");
    },
  ],
  [
    "an answer with an unknown 2xx or 204 is none of Intake's",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [
        step(write(204, { length: null })),
        step(json(299, {})),
        accept,
      ]);
      await tickets.create(title);
      oneTicket(await record(), 3);
    },
  ],
];
