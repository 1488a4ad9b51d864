import { AbortError } from "@intake/client/tickets";
import { accept, html, json, type Step, step, write } from "../fault-script.ts";
import { equal, ok } from "./check.ts";
import { countingSignal } from "./counting-signal.ts";
import type { Case } from "./env.ts";
import { failure, faultyTickets, inTime, sleep, tellingWaits, until } from "./kit.ts";

const title = { title: "Nightly build failed" };

/** Aborts a call in a situation that nothing else would end soon. */
function abortedIn(where: string, first: Step, place: "wait" | "try"): Case {
  return [
    `an abort ${where} ends the call at once and leaves nothing`,
    async (env) => {
      const { logger, waiting } = tellingWaits();
      const { tickets, ...faults } = await faultyTickets(env, [first, accept], { logger });
      const { signal, abort, listeners } = countingSignal();
      const creating = failure(tickets.create(title, { signal }));
      await until(faults, ({ requests }) => requests.length === 1);
      if (place === "wait") await waiting;
      abort();
      const error = await inTime(500, creating, "the error");
      ok(error instanceof AbortError, `${error.name} is no AbortError`);
      equal(listeners(), 0, "listeners left");
      const connection = (await faults.record()).requests[0]?.connection ?? 0;
      if (place === "try") await until(faults, ({ open }) => !open.includes(connection));
      // Waits as long as another try could take to arrive.
      await sleep(600);
      equal((await faults.record()).requests.length, 1, "tries");
    },
  ];
}

export const ticketAborts: Case[] = [
  abortedIn(
    "in a wait between tries",
    step(json(429, { error: "rate_limit_exceeded" }, { "retry-after": "30" })),
    "wait",
  ),
  abortedIn("before the answer", step(), "try"),
  abortedIn("in the middle of the answer", step(write(201, { body: '{"id":', length: 500 })), "try"),
  [
    "a signal that was aborted before sends nothing",
    async (env) => {
      const { tickets, record } = await faultyTickets(env, [accept]);
      const { signal, abort, listeners } = countingSignal();
      abort();
      const error = await failure(tickets.create(title, { signal }));
      ok(error instanceof AbortError, `${error.name} is no AbortError`);
      equal((await record()).requests.length, 0, "tries");
      equal(listeners(), 0, "listeners left");
    },
  ],
  [
    "the reason of an abort is no credential's way out, and an AbortError is what it ends with",
    async (env) => {
      const { tickets } = await faultyTickets(env, [step()]);
      const controller = new AbortController();
      const creating = failure(tickets.create(title, { signal: controller.signal }));
      controller.abort(new Error(`stop ${env.token}`));
      ok((await creating) instanceof AbortError, "no AbortError");
    },
  ],
  [
    "AbortSignal.timeout is the caller's, so an AbortError",
    async (env) => {
      const { tickets } = await faultyTickets(env, [step()]);
      const error = await failure(tickets.create(title, { signal: AbortSignal.timeout(300) }));
      ok(error instanceof AbortError, `${error.name} is no AbortError`);
    },
  ],
  [
    "calls that end by themselves leave no listener on a signal that they share",
    async (env) => {
      const { tickets } = await faultyTickets(env, [accept, step(html(502)), accept, step(html(404))]);
      const { signal, listeners, added } = countingSignal();
      await tickets.create(title, { signal });
      await tickets.create(title, { signal });
      await failure(tickets.create(title, { signal }));
      ok(added() > 0, "the signal was never listened to");
      equal(listeners(), 0, "listeners left");
    },
  ],
];
