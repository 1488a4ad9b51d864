import { isApiError, RateLimitError } from "@intake/client/tickets";
import { accept, json, step } from "../fault-script.ts";
import { equal, ok, within } from "./check.ts";
import type { Case, Env } from "./env.ts";
import { failure, faultyTickets, notingWaits } from "./kit.ts";
import { oneTicket, waited } from "./tries.ts";

const limited = { error: "rate_limit_exceeded", message: "Too many requests." };
const title = { title: "Nightly build failed" };

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** The three date formats that RFC 9110 (5.6.7) requires every recipient to read; all of them are in UTC. */
const dateForms: Record<string, (at: Date) => string> = {
  "as a date": (at) => at.toUTCString(),
  "as a date of RFC 850": (at) => {
    const [, day = "", month = "", year = "", time = ""] = at.toUTCString().split(" ");
    return `${days[at.getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
  },
  "as a date of asctime": (at) => {
    const [weekday = "", day = "", month = "", year = "", time = ""] = at.toUTCString().split(" ");
    return `${weekday.slice(0, 3)} ${month} ${day.replace(/^0/, " ")} ${time} ${year}`;
  },
};

function dateCase(form: string, print: (at: Date) => string): Case {
  return [
    `429 with Retry-After ${form} is waited for`,
    async (env) => {
      const { logger, decided } = notingWaits();
      const at = Math.floor(Date.now() / 1_000 + 3) * 1_000;
      const refusal = json(429, limited, { "retry-after": print(new Date(at)) });
      const { tickets, record } = await faultyTickets(env, [step(refusal), accept], { logger });
      await tickets.create(title);
      const told = await record();
      oneTicket(told, 2);
      ok((told.requests[1]?.at ?? 0) >= at - 50, `the second try came at ${told.requests[1]?.at}, before ${at}`);
      within(decided[0], 0, 4_000, "the wait");
    },
  ];
}

/** Values that are neither whole seconds nor a date count as absent. `Date.parse` would read some of them as a date. */
const garbage = [
  "soon",
  "in 2099",
  "1.5",
  "-1",
  "0x3c",
  "1e9",
  "60 s",
  "Infinity",
  "2 2099",
  "Sunday, whenever",
  "()",
  "60, 60",
];

function garbageCase(value: string): Case {
  return [
    `429 with Retry-After "${value}" is tried again as if it had none`,
    async (env) => {
      const { logger, decided } = notingWaits();
      const refusal = step(json(429, limited, { "retry-after": value }));
      const { tickets, record } = await faultyTickets(env, [refusal, accept], { logger });
      await tickets.create(title);
      oneTicket(await record(), 2);
      within(decided[0], 0, 500, "the wait");
    },
  ];
}

/** Less than any of the waits that these cases ask for, and far more than a busy machine takes. */
const atOnceMs = 30_000;

async function refusedAtOnce(env: Env, retryAfter: string, ms: number) {
  const refusal = json(429, limited, { "retry-after": retryAfter });
  const { tickets, record } = await faultyTickets(env, [step(refusal), accept]);
  const began = Date.now();
  const error = await failure(tickets.create(title));
  ok(error instanceof RateLimitError, `${error.name} is no RateLimitError`);
  within(error.retryAfterMs, ms - atOnceMs, ms, "retryAfterMs");
  equal(error.code, "rate_limit_exceeded", "code");
  within(Date.now() - began, 0, atOnceMs, "time until the error");
  equal((await record()).requests.length, 1, "tries");
}

export const retryAfter: Case[] = [
  [
    "429 with Retry-After in seconds is waited for",
    async (env) => {
      const { logger, decided } = notingWaits();
      const refusal = step(json(429, limited, { "retry-after": "2" }));
      const { tickets, record } = await faultyTickets(env, [refusal, accept], { logger });
      await tickets.create(title);
      const told = await record();
      oneTicket(told, 2);
      waited(told, decided, 2_000);
    },
  ],
  ...Object.entries(dateForms).map(([form, print]) => dateCase(form, print)),
  [
    "a date is taken by the server's own clock where that can be read",
    async (env) => {
      if (env.crossOrigin) return;
      const theirs = Date.now() - 3_600_000;
      const headers = { date: new Date(theirs).toUTCString(), "retry-after": new Date(theirs + 2_000).toUTCString() };
      const { logger, decided } = notingWaits();
      const { tickets, record } = await faultyTickets(env, [step(json(429, limited, headers)), accept], { logger });
      await tickets.create(title);
      within(decided[0], 1_000, 2_000, "the wait");
      waited(await record(), decided, decided[0] ?? 0);
    },
  ],
  [
    "429 with Retry-After 0 is tried again at once",
    async (env) => {
      const { logger, decided } = notingWaits();
      const refusal = step(json(429, limited, { "retry-after": "0" }));
      const { tickets, record } = await faultyTickets(env, [refusal, accept], { logger });
      await tickets.create(title);
      oneTicket(await record(), 2);
      equal(decided, [0], "the waits");
    },
  ],
  [
    "a date that has passed is no reason to wait",
    async (env) => {
      const past = json(429, limited, { "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" });
      const { logger, decided } = notingWaits();
      const { tickets, record } = await faultyTickets(env, [step(past), accept], { logger });
      await tickets.create(title);
      oneTicket(await record(), 2);
      equal(decided, [0], "the waits");
    },
  ],
  ...garbage.map(garbageCase),
  [
    "429 without Retry-After is tried again",
    async (env) => {
      const { logger, decided } = notingWaits();
      const refusal = step(json(429, limited));
      const { tickets, record } = await faultyTickets(env, [refusal, refusal, accept], { logger });
      await tickets.create(title);
      oneTicket(await record(), 3);
      equal(decided.length, 2, "waits");
      for (const wait of decided) within(wait, 0, 1_000, "the wait");
    },
  ],
  ["429 with Retry-After of 120 s is an error at once, with the value", (env) => refusedAtOnce(env, "120", 120_000)],
  [
    "429 with a date in two minutes is an error at once, with the value",
    (env) => refusedAtOnce(env, new Date(Date.now() + 120_000).toUTCString(), 120_000),
  ],
  [
    "429 with Retry-After of three centuries is an error at once",
    (env) => refusedAtOnce(env, "9999999999", 9_999_999_999_000),
  ],
  [
    "maxRetryAfterMs says how long a wait may be",
    async (env) => {
      const refusal = step(json(429, limited, { "retry-after": "2" }));
      const { tickets, record } = await faultyTickets(env, [refusal, accept], { maxRetryAfterMs: 1_999 });
      const error = await failure(tickets.create(title));
      ok(isApiError(error) && error.retryAfterMs === 2_000, `no wait of 2 s told: ${error.message}`);
      equal((await record()).requests.length, 1, "tries");
    },
  ],
  [
    "503 with Retry-After is waited for",
    async (env) => {
      const busy = json(503, { error: "service_unavailable" }, { "retry-after": "1" });
      const { logger, decided } = notingWaits();
      const { tickets, record } = await faultyTickets(env, [step(busy), accept], { logger });
      await tickets.create(title);
      const told = await record();
      oneTicket(told, 2);
      waited(told, decided, 1_000);
    },
  ],
];
