import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { Authority } from "../../../test/support/certificates.ts";
import { accept, type Behaviour, Receiver } from "../../../test/support/receiver.ts";
import { until } from "../../../test/support/until.ts";
import type { CheckedAddress, Target } from "../addresses/ssrf-guard.ts";
import { Connections } from "./connections.ts";
import { type PostRequest, post } from "./post.ts";

const authority = new Authority();
const known = authority.issue(["DNS:hooks.test", "DNS:localhost", "IP:127.0.0.1", "IP:::1"]);
const expired = authority.issue(["DNS:hooks.test"], { days: -1 });
const stranger = new Authority();
const here: CheckedAddress = { address: "127.0.0.1", family: 4 };
const opened: (Receiver | Connections)[] = [];
let connections: Connections;

beforeEach(() => {
  connections = keep(new Connections({ ca: [authority.cert] }));
});

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

afterAll(() => {
  authority.remove();
  stranger.remove();
});

/** Long enough for a few requests on a busy machine; times in certificates are whole seconds. */
function soon(): Date {
  return new Date(Math.ceil(Date.now() / 1_000 + 8) * 1_000);
}

function keep<T extends Receiver | Connections>(one: T): T {
  opened.push(one);
  return one;
}

async function receiving(options: Parameters<typeof Receiver.listen>[0] = {}): Promise<Receiver> {
  return keep(await Receiver.listen(options));
}

function send(url: string, options: Partial<PostRequest & { addresses: readonly CheckedAddress[] }> = {}) {
  const { addresses = [here], ...rest } = options;
  const target: Target = { url: new URL(url), addresses };
  return post(target, { headers: {}, body: Buffer.from("{}"), connections, ...rest });
}

describe("TLS", () => {
  test("names the receiver, without the dot at the end, and trusts the further authority", async () => {
    const receiver = await receiving({ certificate: known });
    expect(await send(receiver.url("hooks.test"))).toMatchObject({ status: 200, answer: "thanks" });
    expect(await send(receiver.url("hooks.test."))).toMatchObject({ status: 200 });
    expect(receiver.names).toEqual(["hooks.test", "hooks.test"]);
    expect(receiver.requests.map(({ headers }) => headers.get("host"))).toEqual([
      `hooks.test:${receiver.port}`,
      `hooks.test.:${receiver.port}`,
    ]);
  });

  test("checks an address against the certificate, and names none", async () => {
    const receiver = await receiving({ certificate: known });
    expect(await send(receiver.url("127.0.0.1"))).toMatchObject({ status: 200 });
    expect(receiver.names).toEqual([false]);
    const six = await receiving({ certificate: known, host: "::1" });
    expect(await send(six.url("[::1]"), { addresses: [{ address: "::1", family: 6 }] })).toMatchObject({ status: 200 });
    const other = await receiving({ certificate: known, host: "127.0.0.2" });
    const elsewhere: CheckedAddress = { address: "127.0.0.2", family: 4 };
    expect(await send(other.url("127.0.0.2"), { addresses: [elsewhere] })).toMatchObject({ error: "tls" });
  });

  test.each([
    ["for another name", "other.test", known],
    ["of an unknown authority", "hooks.test", stranger.issue(["DNS:hooks.test"])],
    ["whose time is over", "hooks.test", expired],
  ] as const)("refuses a certificate %s, and sends nothing", async (_why, name, certificate) => {
    const receiver = await receiving({ certificate });
    expect(await send(receiver.url(name))).toEqual({ error: "tls", answer: "", took: expect.any(Number) });
    expect(receiver.requests).toHaveLength(0);
  });

  test("trusts no further authority unless told", async () => {
    const receiver = await receiving({ certificate: known });
    const usual = keep(new Connections());
    expect(await send(receiver.url("hooks.test"), { connections: usual })).toMatchObject({ error: "tls" });
    expect(receiver.requests).toHaveLength(0);
  });

  test("is verified whatever the environment says", async () => {
    const receiver = await receiving({ certificate: known });
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const usual = keep(new Connections());
      expect(await send(receiver.url("hooks.test"), { connections: usual })).toMatchObject({ error: "tls" });
      expect(await send(receiver.url("other.test"))).toMatchObject({ error: "tls" });
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
    expect(receiver.requests).toHaveLength(0);
  });

  test("does not come about with whoever speaks without it, leaves, or is silent", async () => {
    const plain = await receiving();
    plain.onConnection = (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n");
    const url = plain.url("hooks.test").replace("http:", "https:");
    expect(await send(url)).toMatchObject({ error: "tls" });
    plain.onConnection = (socket) => socket.destroy();
    expect(await send(url)).toMatchObject({ error: "tls" });
    plain.onConnection = (socket) => void socket.resetAndDestroy();
    expect(await send(url)).toMatchObject({ error: "tls" });
    plain.onConnection = () => {};
    expect(await send(url, { connectMs: 100 })).toMatchObject({ error: "timeout" });
    await plain.until(({ open }) => open === 0);
  });

  test("is not resumed: a certificate whose time is over is refused, also where it was good before", async () => {
    const ends = soon();
    const receiver = await receiving({ certificate: authority.issue(["DNS:hooks.test"], { until: ends }) });
    const url = receiver.url("hooks.test");
    expect(await send(url)).toMatchObject({ status: 200 });
    receiver.dropConnections();
    expect(await send(url)).toMatchObject({ status: 200 });
    // The certificate ends with a whole second of a clock that is a little behind this one.
    await until(() => Date.now() > ends.getTime() + 1_000 || undefined);
    for (let i = 0; i < 4; i++) expect(await send(url)).toMatchObject({ error: "tls" });
    expect(receiver.requests).toHaveLength(2);
  });

  test("ends with the certificate's time on a connection that is kept too", async () => {
    const brief = keep(new Connections({ ca: [authority.cert], idleMs: 3_000 }));
    const ends = soon();
    const receiver = await receiving({ certificate: authority.issue(["DNS:hooks.test"], { until: ends }) });
    const url = receiver.url("hooks.test");
    let last = 0;
    await until(async () => {
      const sent = Date.now();
      const { status } = await send(url, { connections: brief });
      if (status === 200) last = sent;
      return status === undefined || undefined;
    });
    expect(last).toBeLessThan(ends.getTime() + 1_000);
    expect(receiver.requests.length).toBeGreaterThan(2);
    // As long as the idle connection was usable, one connection was enough.
    expect(Math.max(...receiver.requests.slice(0, 3).map(({ connection }) => connection))).toBe(0);
    expect(await send(url, { connections: brief })).toMatchObject({ error: "tls" });
  });

  test("survives a receiver that comes back with other keys", async () => {
    const before = await receiving({ certificate: known });
    const url = before.url("hooks.test");
    expect(await send(url)).toMatchObject({ status: 200 });
    const { port } = before;
    await before.close();
    const after = await receiving({ certificate: authority.issue(["DNS:hooks.test"]), port });
    expect(await send(url)).toMatchObject({ status: 200 });
    await after.close();
    await receiving({ certificate: stranger.issue(["DNS:hooks.test"]), port });
    expect(await send(url)).toMatchObject({ error: "tls" });
  });
});

describe("a connection", () => {
  test("serves again, over TLS too", async () => {
    for (const certificate of [undefined, known]) {
      const receiver = await receiving(certificate && { certificate });
      for (let i = 0; i < 5; i++) expect(await send(receiver.url("hooks.test"))).toMatchObject({ status: 200 });
      expect(receiver.connections).toBe(1);
    }
  });

  test("serves again after an error that was answered in full", async () => {
    const receiver = await receiving({
      behave: (socket) => socket.write("HTTP/1.1 500 Broken\r\ncontent-length: 2\r\n\r\nno"),
    });
    for (let i = 0; i < 3; i++) expect(await send(receiver.url())).toMatchObject({ status: 500, answer: "no" });
    expect(receiver.connections).toBe(1);
  });

  test("does not serve again once the check has given other addresses", async () => {
    const first = await receiving({ host: "127.0.0.1" });
    const second = await receiving({ host: "127.0.0.2", port: first.port });
    const url = first.url("hooks.test");
    const there: CheckedAddress = { address: "127.0.0.2", family: 4 };
    await send(url);
    await send(url, { addresses: [there] });
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
    // The same two addresses in another order are the same set.
    await send(url, { addresses: [here, there] });
    await send(url, { addresses: [there, here] });
    expect([first.requests.length, second.requests.length]).toEqual([3, 1]);
    expect(first.connections).toBe(2);
  });

  test("serves one name, port and protocol only", async () => {
    const receiver = await receiving({ certificate: known });
    await send(receiver.url("hooks.test"));
    await send(receiver.url("localhost"));
    expect(await send(receiver.url("other.test"))).toMatchObject({ error: "tls" });
    expect(receiver.names).toContain("localhost");
    expect(receiver.requests).toHaveLength(2);
  });

  const endings: readonly [string, Behaviour][] = [
    ["closed", (socket) => socket.destroy()],
    ["ended", (socket) => void socket.end()],
    ["reset", (socket) => void socket.resetAndDestroy()],
  ];

  test.each(endings)("that the receiver has %s before anything was sent is replaced", async (_how, hangUp) => {
    for (const certificate of [undefined, known]) {
      const receiver = await receiving(certificate && { certificate });
      const url = receiver.url("hooks.test");
      const kept: Socket[] = [];
      receiver.onConnection = (socket) => kept.push(socket);
      await Promise.all([send(url), send(url), send(url)]);
      for (const socket of kept) hangUp(socket, undefined as never);
      expect(await send(url)).toMatchObject({ status: 200 });
      expect([receiver.requests.length, receiver.connections]).toEqual([4, 4]);
    }
  });

  test.each(endings)(
    "that is %s once it has brought the request is not replaced: it was sent",
    async (_how, hangUp) => {
      for (const certificate of [undefined, known]) {
        const receiver = await receiving(certificate && { certificate });
        const url = receiver.url("hooks.test");
        expect(await send(url)).toMatchObject({ status: 200 });
        receiver.behave = hangUp;
        expect(await send(url)).toEqual({ error: "connection", answer: "", took: expect.any(Number) });
        receiver.behave = accept;
        expect(await send(url)).toMatchObject({ status: 200 });
        expect(receiver.requests.map(({ connection }) => connection)).toEqual([0, 0, 1]);
      }
    },
  );

  test("that is ended in the middle of an answer is not tried again", async () => {
    const receiver = await receiving();
    await send(receiver.url());
    receiver.behave = (socket) => socket.end("HTTP/1.1 200 OK\r\nconte");
    expect(await send(receiver.url())).toMatchObject({ error: "bad_answer" });
    expect(receiver.requests).toHaveLength(2);
  });

  test("that is new is not tried again", async () => {
    const receiver = await receiving({ behave: (socket) => void socket.destroy() });
    expect(await send(receiver.url())).toMatchObject({ error: "connection" });
    expect(receiver.requests).toHaveLength(1);
  });

  test("on which more came than one answer does not serve again", async () => {
    const twice: Behaviour = (socket) => {
      const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
      socket.write(answer + answer.replace("200", "500"));
    };
    const receiver = await receiving({ behave: twice });
    expect(await send(receiver.url())).toMatchObject({ status: 200 });
    receiver.behave = (socket) => socket.write("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
    expect(await send(receiver.url())).toMatchObject({ status: 202 });
  });

  test("on which something comes while nobody asks does not serve again", async () => {
    const receiver = await receiving();
    await send(receiver.url());
    receiver.say("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged");
    await receiver.until(({ open }) => open === 0);
    expect(await send(receiver.url())).toMatchObject({ status: 200, answer: "thanks" });
    expect(receiver.connections).toBe(2);
  });

  test("is kept for every request of an origin that was under way", async () => {
    const receiver = await receiving();
    const posted = await Promise.all(Array.from({ length: 20 }, () => send(receiver.url())));
    expect(posted.every(({ status }) => status === 200)).toBe(true);
    await receiver.until(({ open }) => open === 20);
  });

  test("is kept up to 192 in all", async () => {
    const receivers = await Promise.all(Array.from({ length: 30 }, () => receiving()));
    await Promise.all(receivers.flatMap((receiver) => Array.from({ length: 7 }, () => send(receiver.url()))));
    await until(() => receivers.reduce((sum, { open }) => sum + open, 0) === 192 || undefined);
  });

  test("ends when it is idle, and not while its answer takes longer than that", async () => {
    const brief = keep(new Connections({ idleMs: 100 }));
    let answered = 0;
    const receiver = await receiving({
      behave: (socket, request) => {
        setTimeout(() => {
          answered = performance.now();
          accept(socket, request);
        }, 300);
      },
    });
    expect(await send(receiver.url(), { connections: brief })).toMatchObject({ status: 200 });
    expect(receiver.open).toBe(1);
    await receiver.until(({ open }) => open === 0);
    // An idle connection that is not told otherwise ends after ten seconds.
    expect(performance.now() - answered).toBeWithin(95, 9_000);
  });

  test("that stands already has the whole time for its answer", async () => {
    const receiver = await receiving();
    await send(receiver.url());
    receiver.behave = (socket, request) => {
      setTimeout(() => accept(socket, request), 200);
    };
    expect(await send(receiver.url(), { connectMs: 100 })).toMatchObject({ status: 200 });
    expect(receiver.connections).toBe(1);
  });

  test("ends when all end", async () => {
    const receiver = await receiving();
    await send(receiver.url());
    connections.close();
    await receiver.until(({ open }) => open === 0);
  });
});
