import { afterAll, beforeAll, expect, test } from "bun:test";
import { killRounds } from "../support/databases.ts";
import { faultsFound } from "../support/doctor.ts";
import { accept, answering, type Behaviour, Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { WebhooksServer } from "./webhooks-server.ts";

const rounds = killRounds(24);
const clients = 6;
/** As many attempts as there may be, soon after each other. */
const schedule = `0${",0.1".repeat(49)}`;

/** A receiver, and how many requests it has not answered. */
interface Watched {
  receiver: Receiver;
  underWay: number;
  subscriberId: string;
}

let server: WebhooksServer;
const watched: Watched[] = [];
beforeAll(async () => {
  server = await WebhooksServer.start({ schedule });
  watched.push(await watch(accept), await watch(slowly(accept)), await watch(slowly(everyFourthFails())));
}, 180_000);
afterAll(async () => {
  await server?.remove();
  for (const { receiver } of watched) await receiver.close();
}, 180_000);

async function watch(behave: Behaviour): Promise<Watched> {
  const receiver = await Receiver.listen();
  const one: Watched = { receiver, underWay: 0, subscriberId: (await server.subscriber(receiver.url())).id };
  receiver.behave = (socket, request) => {
    one.underWay++;
    const write = socket.write.bind(socket);
    socket.write = ((bytes: string) => {
      one.underWay--;
      socket.write = write;
      return write(bytes);
    }) as typeof write;
    behave(socket, request);
  };
  return one;
}

function slowly(behave: Behaviour): Behaviour {
  return (socket, request) => setTimeout(() => behave(socket, request), Math.random() * 40);
}

function everyFourthFails(): Behaviour {
  const fail = answering("500 Oh", [], "");
  let n = 0;
  return (socket, request) => (++n % 4 === 0 ? fail : accept)(socket, request);
}

/** Submits reports until the server is gone; remembers the events of those that were acknowledged. */
async function report(acknowledged: Set<string>) {
  for (;;) {
    try {
      acknowledged.add((await server.report()).eventId);
    } catch {
      return;
    }
  }
}

interface Delivery {
  [member: string]: string;
  message_id: string;
  state: string;
  /** A JSON list, oldest first; null: it was accepted. */
  errors: string;
}

const selectDeliveries = (list: string) => `select message_id, state,
    (select ${list} from attempt where delivery_id = delivery.id) as errors
  from delivery where subscriber_id = $1`;

const deliveriesTo = ({ subscriberId }: Watched) =>
  server.installation.ctx.store.all<Delivery>(
    {
      sqlite: selectDeliveries("json_group_array(error order by number)"),
      postgres: selectDeliveries("coalesce(cast(json_agg(error order by number) as text), '[]')"),
    },
    [subscriberId],
  );

test(`${rounds} rounds of kill -9 in the middle: every report reaches every subscriber, and each repeat is explained`, async () => {
  const acknowledged = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const before = watched.map(({ receiver }) => receiver.requests.length);
    const wanted = 3 + Math.floor(Math.random() * 30);
    const load = Array.from({ length: clients }, () => report(acknowledged));
    await until(
      () =>
        watched.every(({ receiver, underWay }, i) => {
          return receiver.requests.length >= (before[i] ?? 0) + wanted && (i === 0 || underWay > 0);
        }) || undefined,
      90,
    );
    await server.end("SIGKILL");
    await Promise.all(load);
    await server.startAgain({ schedule });
  }

  const { store } = server.installation.ctx;
  const left = () => store.one("select 1 from delivery where state <> 'delivered' limit 1");
  await until(async () => (await left()) === undefined || undefined, 150);
  expect(acknowledged.size).toBeGreaterThan(rounds);
  const bodies = new Map<string, string>();
  let abandoned = 0;
  for (const one of watched) {
    const came = Map.groupBy(one.receiver.requests, ({ headers }) => headers.get("webhook-id") ?? "");
    const deliveries = await deliveriesTo(one);
    expect(new Set(deliveries.map(({ message_id }) => message_id)).isSupersetOf(acknowledged)).toBe(true);
    expect(deliveries.length).toBe(new Set(deliveries.map(({ message_id }) => message_id)).size);
    expect([...came.keys()].toSorted()).toEqual(deliveries.map(({ message_id }) => message_id).toSorted());
    for (const { message_id, state, errors } of deliveries) {
      const attempts = JSON.parse(errors) as (string | null)[];
      expect([state, attempts.at(-1)]).toEqual(["delivered", null]);
      // One that was accepted, and before it those that failed or that the killed server did not live to write down.
      expect(attempts.slice(0, -1).filter((error) => error !== "abandoned" && error !== "status")).toEqual([]);
      abandoned += attempts.filter((error) => error === "abandoned").length;
      const requests = came.get(message_id) ?? [];
      expect(requests.length).toBeLessThanOrEqual(attempts.length);
      const known = attempts.filter((error) => error !== "abandoned").length;
      expect(requests.length).toBeGreaterThanOrEqual(known);
      for (const { body } of requests) {
        const text = body.toString();
        expect(text).toBe(bodies.get(message_id) ?? text);
        bodies.set(message_id, text);
      }
    }
  }
  expect(abandoned).toBeGreaterThan(rounds);
  expect(await faultsFound(server.installation.folder)).toEqual([]);
}, 400_000);
