import { isApiError } from "@intake/client/tickets";
import { accept, json, step, write } from "../fault-script.ts";
import { equal, ok, within } from "./check.ts";
import type { Case } from "./env.ts";
import { failure, faultyTickets } from "./kit.ts";
import { keepsSecrets } from "./secrets.ts";

const title = { title: "Nightly build failed" };

const body = (text: string, type = "application/json") =>
  step(write(400, { headers: { "content-type": type }, body: text }));

export const ticketSecrets: Case[] = [
  [
    "a credential that the server sends back stands in no text of the error",
    async (env) => {
      const bare = "$authorization";
      const echo = {
        error: "invalid_input",
        message: `You sent ${bare}`,
        details: [{ path: `/${bare}`, code: "bad_value", message: `Not ${bare}`, [`at ${bare}`]: { [bare]: 1 } }],
        reason: bare,
        limit: { [bare]: bare },
        nested: { deep: [bare] },
      };
      for (const status of [400, 401, 418, 429, 500]) {
        const refusal = json(status, echo, { "x-request-id": bare, "x-echo": bare, "retry-after": "0" });
        const { tickets } = await faultyTickets(env, [step(refusal)]);
        const error = await failure(tickets.create(title));
        ok(isApiError(error) && error.status === status, `status: ${error.message}`);
      }
    },
  ],
  [
    "nor one that stands in a code, a page, or escaped",
    async (env) => {
      const escaped = `${env.token.slice(0, 5)}\\u00${env.token.charCodeAt(5).toString(16)}${env.token.slice(6)}`;
      for (const text of [`{"error":"${env.token}"}`, `<p>${env.token}</p>`, `{"error":"x","message":"${escaped}"}`]) {
        const { tickets } = await faultyTickets(env, [body(text)]);
        await failure(tickets.create(title));
      }
    },
  ],
  [
    "a huge error is an error, cut to what one can read, with no piece of a credential at the cut",
    async (env) => {
      const { tickets } = await faultyTickets(env, [body(`${env.token} `.repeat(50_000), "text/plain")]);
      const error = await failure(tickets.create(title));
      ok(isApiError(error), `${error.name} is no ApiError`);
      within(error.bodyText.length, 1, 100_000, "length of bodyText");
      within(error.message.length, 1, 1_000, "length of the message");
    },
  ],
  [
    "a token that cannot stand in a header is told of without it",
    async (env) => {
      for (const token of [
        `${env.token}\nx: y`,
        `${env.token}\u2028x`,
        `${env.token.slice(0, 20)}\u0000${env.token.slice(21)}`,
      ]) {
        const { tickets } = await faultyTickets(env, [accept], { token: () => token });
        await failure(tickets.create(title));
      }
    },
  ],
  [
    "a function for the token that fails with the token in its words is told of without it",
    async (env) => {
      const token = () => Promise.reject(new Error(`vault said ${env.token}`, { cause: { token: env.token } }));
      const { tickets, record } = await faultyTickets(env, [accept], { token });
      await failure(tickets.create(title));
      equal((await record()).requests.length, 0, "tries");
    },
  ],
  [
    "a fetch that fails with the token in its words is told of without it",
    async (env) => {
      const fetch = () =>
        Promise.reject(new TypeError(`bad header Bearer ${env.token}`, { cause: new Error(env.token) }));
      const { tickets } = await faultyTickets(env, [], { fetch, maxRetries: 1 });
      await failure(tickets.create(title));
    },
  ],
  [
    "the client itself shows no credential",
    async (env) => {
      const { tickets } = await faultyTickets(env, []);
      keepsSecrets(tickets, "the client");
    },
  ],
];
