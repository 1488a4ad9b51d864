import { subscribe } from "../../support/deliveries.ts";
import type { Installation } from "../../support/installation.ts";

const levels = ["error", "error", "warning", "error", "info", "fatal", "error", "debug"];
const types = ["crash", "http", "feedback", "anr"];
const things = ["cart", "checkout", "wishlist", "image", "profile", "network", "keychain", "draft"];
const faults = ["TypeError", "TimeoutError", "RangeError", "HTTP 502", "Out of memory", "Assertion failed"];

/** The i-th of many reports, similar to those of a real app. */
export function seeded(i: number) {
  const thing = things[i % things.length];
  return {
    level: levels[i % levels.length],
    type: types[i % types.length],
    title: `${faults[i % faults.length]} in ${thing}${i % 977}`,
    message: `The ${thing} could not be read: attempt ${i}, number${i}.`,
    app: { version: `4.${Math.floor(i / 20_000)}.${i % 7}`, environment: i % 50 === 0 ? "staging" : "production" },
    user: { id: `u-${i % 9_001}` },
    tags: { screen: thing, build: String(i % 503) },
  };
}

/** Writes reports past all checks, one for each second, the last one now. Returns their ids, oldest first. */
export async function seedReports(
  { made, ctx }: Installation,
  count: number,
  { every = 1_000 } = {},
): Promise<string[]> {
  const start = ctx.now() - count * every;
  const all = Array.from({ length: count }, (_, i) => {
    const at = start + i * every;
    return { i, at, id: Bun.randomUUIDv7("hex", at) };
  });
  for (let first = 0; first < count; first += together) {
    await ctx.store.write(function* (tx) {
      for (const { i, at, id } of all.slice(first, first + together)) {
        const report = seeded(i);
        const { type = "", title, level = "", app, user, tags } = report;
        const bytes = Buffer.from(JSON.stringify(report));
        yield* tx.run(addEvent, [
          ...[id, made.project.id, made.sdkKey.id, type, title, level, app.environment, app.version, user.id],
          ...[JSON.stringify(tags), at, bytes.length, i % 400 === 0 ? 2 : 0],
        ]);
        yield* tx.run(addEnvelope, [id, bytes]);
      }
    });
  }
  return all.map(({ id }) => id);
}

const together = 10_000;
const addEvent = `insert into event (id, project_id, key_id, digest, type, title, level, environment, release, user_id,
    tags, received_at, envelope_bytes, stored_bytes, delivery_count, repeat_count)
  values ($1, $2, $3, '', $4, $5, $6, $7, $8, $9, $10, $11, $12, 1024, 0, $13)`;
const addEnvelope = "insert into envelope (event_id, encoding, bytes) values ($1, 'identity', $2)";

const states = ["waiting", "leased", "dead", "delivered", "delivered"];

/** Every hundredth report was sent to a subscriber. */
const stateOf = (i: number) => (i % 100 === 0 ? states[(i / 100) % states.length] : undefined);

export function isUndelivered(i: number): boolean {
  const state = stateOf(i);
  return state !== undefined && state !== "delivered";
}

/** Writes a delivery of every hundredth report, in each of its states. */
export async function seedDeliveries(installation: Installation, ids: readonly string[]): Promise<void> {
  const { ctx } = installation;
  const { id: subscriber } = await subscribe(installation, { types: [] });
  await ctx.store.write(function* (tx) {
    for (const [i, id] of ids.entries()) {
      const state = stateOf(i);
      if (state === undefined) continue;
      yield* tx.run("update event set delivery_count = 1 where id = $1", [id]);
      yield* tx.run("insert into message (id, event_id, type, head) values ($1, $2, 'report.created', '{}')", [
        `m-${i}`,
        id,
      ]);
      yield* tx.run(
        `insert into delivery (id, message_id, subscriber_id, state, tries, attempts, next_at, created_at)
         values ($1, $2, $3, $4, 0, 0, 9e12, 1)`,
        [`d-${i}`, `m-${i}`, subscriber, state],
      );
    }
  });
}
