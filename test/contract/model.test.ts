import { expect, test } from "bun:test";
import fc from "fast-check";
import { revokeToken } from "../../server/credentials/revoke-token.ts";
import { updateToken } from "../../server/credentials/update-credential.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { newToken, post, type Token, ticketCount } from "../support/tickets.ts";

/** The contract of an API token, in a few lines; the real server must never differ from it. */
interface Model {
  tokens: { token: Token; revoked: boolean; scoped: boolean; left: number; answers: Map<string, string> }[];
  tickets: number;
}

type Real = Target;
const limit = 12;

/** Some calls at the same time with one token and one key, or without a key, with a valid or an invalid body. */
class Create implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly which: number,
    readonly key: string | undefined,
    readonly right: boolean,
    readonly atOnce: number,
  ) {}
  check = (model: Model) => model.tokens.length > 0;
  async run(model: Model, real: Real) {
    const state = model.tokens[this.which % model.tokens.length];
    if (!state) return;
    const body = this.right ? { title: "Model" } : { title: "" };
    const call = { token: state.token.token, key: this.key, body };
    const answers = await Promise.all(Array.from({ length: this.atOnce }, () => post(real, call)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;

    if (state.revoked) return expect(count(401)).toBe(this.atOnce);
    const admitted = Math.min(this.atOnce, state.left);
    state.left -= admitted;
    expect(count(429)).toBe(this.atOnce - admitted);
    if (!state.scoped) return expect(count(403)).toBe(admitted);
    const bound = this.key === undefined ? undefined : state.answers.get(this.key);
    if (!this.right && bound === undefined) return expect(count(400)).toBe(admitted);

    expect(count(201)).toBe(admitted);
    const bodies = texts.filter((_, i) => answers[i]?.status === 201);
    const fresh = answers.filter(({ status, headers }) => status === 201 && !headers.has("idempotent-replayed")).length;
    if (this.key === undefined) {
      expect(new Set(bodies).size).toBe(admitted);
      expect(fresh).toBe(admitted);
      model.tickets += admitted;
    } else if (admitted > 0) {
      expect(new Set([...bodies, bound ?? bodies[0]]).size).toBe(1);
      expect(fresh).toBe(bound === undefined ? 1 : 0);
      model.tickets += fresh;
      state.answers.set(this.key, bodies[0] ?? "");
    }
  }
  toString = () => `create(${this.which}, ${this.key}, ${this.right ? "right" : "wrong"}, ×${this.atOnce})`;
}

class NewToken implements fc.AsyncCommand<Model, Real> {
  check = () => true;
  async run(model: Model, real: Real) {
    const token = await newToken(real.installation, { limit: limit });
    model.tokens.push({ token, revoked: false, scoped: true, left: limit, answers: new Map() });
  }
  toString = () => "newToken()";
}

class Revoke implements fc.AsyncCommand<Model, Real> {
  constructor(readonly which: number) {}
  check = (model: Model) => model.tokens.some(({ revoked }) => !revoked);
  async run(model: Model, { installation: { ctx } }: Real) {
    const state = model.tokens[this.which % model.tokens.length];
    if (!state || state.revoked) return;
    await revokeToken({ ctx, input: { id: state.token.id } });
    state.revoked = true;
  }
  toString = () => `revoke(${this.which})`;
}

class Rescope implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly which: number,
    readonly scoped: boolean,
  ) {}
  check = (model: Model) => model.tokens.some(({ revoked }) => !revoked);
  async run(model: Model, { installation: { ctx } }: Real) {
    const state = model.tokens[this.which % model.tokens.length];
    if (!state || state.revoked) return;
    const scopes = this.scoped ? (["tickets:write"] as const) : [];
    await updateToken({ ctx, input: { id: state.token.id, change: { scopes: [...scopes] } } });
    state.scoped = this.scoped;
  }
  toString = () => `rescope(${this.which}, ${this.scoped})`;
}

describeTargets("model", (target) => {
  test("no sequence of calls, tokens, keys and revocations leaves the contract", async () => {
    const which = fc.nat(3);
    const key = fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined });
    const commands = fc.commands(
      [
        fc.constant(new NewToken()),
        fc.tuple(which, key, fc.boolean(), fc.integer({ min: 1, max: 5 })).map((args) => new Create(...args)),
        fc.tuple(which, key, fc.constant(true), fc.integer({ min: 1, max: 5 })).map((args) => new Create(...args)),
        which.map((one) => new Revoke(one)),
        fc.tuple(which, fc.boolean()).map((args) => new Rescope(...args)),
      ],
      { maxCommands: 30 },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const before = await ticketCount(target().installation);
        const model: Model = { tokens: [], tickets: 0 };
        await fc.asyncModelRun(() => ({ model, real: target() }), sequence);
        expect(await ticketCount(target().installation)).toBe(before + model.tickets);
      }),
      { numRuns: 60 },
    );
  }, 180_000);
});
