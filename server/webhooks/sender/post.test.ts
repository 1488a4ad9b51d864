import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { Attempts } from "../../../test/support/attempts.ts";
import { chunked, flooding, saying, sayingLast } from "../../../test/support/behaviours.ts";
import { answering, type Behaviour, Receiver } from "../../../test/support/receiver.ts";
import { SsrfGuard } from "../addresses/ssrf-guard.ts";
import { Connections } from "./connections.ts";

const at = new Attempts();

describe("what is sent", () => {
  test("is the body as it is, to the path and query, with its name, its length and the headers", async () => {
    await at.listen();
    const target = await at.addresses.resolve(`http://Hooks.test:${at.receiver.port}/a%2Fb/?c=d&e=%20#f`);
    const body = Buffer.from('{"ü":"\\u0000"}');
    await at.send(target, { headers: { "webhook-id": "0199", "user-agent": "Intake/1" }, body });
    const [request] = at.receiver.requests;
    expect(request?.line).toBe("POST /a%2Fb/?c=d&e=%20 HTTP/1.1");
    expect(request?.body).toEqual(body);
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      host: `hooks.test:${at.receiver.port}`,
      "content-length": String(body.length),
      "accept-encoding": "identity",
      "webhook-id": "0199",
      "user-agent": "Intake/1",
      connection: "keep-alive",
    });
  });

  test("has our name and length, whatever the headers say", async () => {
    const target = await at.receiving();
    const own = { Host: "other.test", "Content-Length": "1" };
    expect(await at.send(target, { headers: own })).toMatchObject({ status: 200 });
    const headers = Object.fromEntries(at.receiver.requests[0]?.headers ?? []);
    expect(headers).toMatchObject({ host: target.url.host, "content-length": "7", "accept-encoding": "identity" });
  });

  test("has the sender's own encoding, expectation and name instead of ours, each once", async () => {
    const target = await at.receiving(
      saying("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
    );
    const own = { "Accept-Encoding": "gzip, br", Expect: "100-continue", "User-Agent": "crash-relay/2" };
    // On a new connection, and on a kept one.
    for (let i = 0; i < 2; i++)
      expect(await at.send(target, { headers: own })).toMatchObject({ status: 200, answer: "ok" });
    for (const { headers, body } of at.receiver.requests) {
      expect(Object.fromEntries(headers)).toMatchObject({
        "accept-encoding": "gzip, br",
        expect: "100-continue",
        "user-agent": "crash-relay/2",
      });
      expect(body.toString()).toBe('{"a":1}');
    }
    expect([at.receiver.requests.length, at.receiver.connections]).toEqual([2, 1]);
  });

  test("ignores proxy variables", async () => {
    const target = await at.receiving();
    const names = ["http_proxy", "HTTP_PROXY", "all_proxy", "NODE_USE_ENV_PROXY"];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name.startsWith("NODE") ? "1" : "http://127.0.0.1:1";
    try {
      expect(await at.send(target, { connections: new Connections() })).toMatchObject({ status: 200 });
    } finally {
      for (const [index, name] of names.entries()) {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      }
    }
  });

  test("may be large, and the answer may come before it is read", async () => {
    const target = await at.receiving();
    const body = Buffer.alloc(4_000_000, "a");
    expect(await at.send(target, { body })).toMatchObject({ status: 200 });
    expect(at.receiver.requests[0]?.body.equals(body)).toBe(true);
  });
});

describe("an answer", () => {
  test.each(["200 OK", "201 Created", "202 Accepted", "204 No Content", "299 Odd"])(
    "of %p accepts the message",
    async (status) => {
      const posted = await at.send(await at.receiving(saying(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)));
      expect(posted).toEqual({
        status: Number(status.slice(0, 3)),
        headers: { "content-length": "0" },
        answer: "",
        took: expect.any(Number),
      });
    },
  );

  test.each([
    ["300 Multiple", "redirect"],
    ["301 Moved", "redirect"],
    ["304 Not Modified", "redirect"],
    ["400 Bad", "status"],
    ["401 Unauthorized", "status"],
    ["404 Not Found", "status"],
    ["410 Gone", "gone"],
    ["429 Slow", "status"],
    ["500 Broken", "status"],
    ["999 Odd", "status"],
    ["000 Odd", "status"],
  ] as const)("of %p is the error %p", async (status, error) => {
    const posted = await at.send(await at.receiving(saying(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)));
    expect(posted).toMatchObject({ status: Number(status.slice(0, 3)), error });
  });

  test.each(["301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent"])(
    "of %p is not followed",
    async (status) => {
      const elsewhere = await Receiver.listen();
      const target = await at.receiving(answering(status, [`location: ${elsewhere.url()}`], "over there"));
      expect(await at.send(target)).toMatchObject({ error: "redirect", answer: "over there" });
      expect(elsewhere.connections).toBe(0);
      expect(at.receiver.requests).toHaveLength(1);
      await elsewhere.close();
    },
  );

  test.each([
    ["429 Slow", "retry-after: 7", 7_000],
    ["503 Busy", "Retry-After: 999999", 86_400_000],
    ["429 Slow", "retry-after: soon", undefined],
    ["500 Broken", "retry-after: 7", undefined],
    ["200 OK", "retry-after: 7", undefined],
  ])("of %p with %p asks to wait for %p ms", async (status, header, wait) => {
    const posted = await at.send(await at.receiving(answering(status, [header], "")));
    expect(posted.retryAfterMs).toBe(wait as number);
  });

  test("after 1xx answers is the one that is returned", async () => {
    const early = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
    const target = await at.receiving(saying(`${early}HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok`));
    expect(await at.send(target)).toMatchObject({ status: 202, answer: "ok" });
  });

  test("may be in chunks, end with the connection, and be HTTP/1.0", async () => {
    for (const behave of [
      saying(`${chunked}2\r\nok\r\n0\r\n\r\n`),
      sayingLast("HTTP/1.1 200 OK\r\n\r\nok"),
      sayingLast("HTTP/1.0 200 OK\r\n\r\nok"),
    ]) {
      expect(await at.send(await at.receiving(behave))).toMatchObject({ status: 200, answer: "ok" });
      await at.receiver.close();
    }
  });

  test("is kept up to 16 KiB, and a character is not cut in two", async () => {
    const cut = await at.send(await at.receiving(answering("500 Broken", [], `${"a".repeat(16_383)}éüö`)));
    expect(cut).toMatchObject({ answer: "a".repeat(16_383), answerCut: true });
    await at.receiver.close();
    const whole = await at.send(await at.receiving(answering("500 Broken", [], "a".repeat(16_383))));
    expect(whole).toMatchObject({ answer: "a".repeat(16_383) });
    expect(whole.answerCut).toBeUndefined();
  });

  test("is shown without what would move a cursor", async () => {
    const posted = await at.send(await at.receiving(answering("500 Broken", ["x-told: \x80\xff"], "\u001b[2Jgone\0")));
    expect(posted.answer).toBe("\u{fffd}[2Jgone\u{fffd}");
    expect(posted.headers?.["x-told"]).not.toMatch(/\p{Cc}/u);
  });

  test("has its headers bounded", async () => {
    const headers = Array.from({ length: 60 }, (_, index) => `x-${index}: ${"v".repeat(200)}`);
    const many = await at.send(await at.receiving(answering("200 OK", headers, "")));
    expect(Object.keys(many.headers ?? {})).toHaveLength(32);
    await at.receiver.close();
    const long = await at.send(await at.receiving(answering("200 OK", [`x-long: ${"v".repeat(8_000)}`], "")));
    expect(long.headers?.["x-long"]).toBe("v".repeat(256));
  });

  test("is not unpacked", async () => {
    const packed = gzipSync(Buffer.alloc(10_000_000));
    const posted = await at.send(
      await at.receiving((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
        socket.write(packed);
      }),
    );
    expect(posted).toMatchObject({ status: 200 });
    expect(posted.answer).not.toContain("\0");
    expect(posted.answer.length).toBeLessThanOrEqual(16_384);
  });

  test("that never ends accepts with 2xx all the same, and is cut after 16 KiB", async () => {
    let written = 0;
    const behave: Behaviour = (socket) => {
      flooding("HTTP/1.1 200 OK\r\n\r\n", "a".repeat(4_096))(socket, undefined as never);
      socket.once("close", () => {
        written = socket.bytesWritten;
      });
    };
    const target = await at.receiving(behave);
    expect(await at.send(target)).toMatchObject({ status: 200, answer: "a".repeat(16_384) });
    await at.receiver.until(({ open }) => open === 0);
    // No more than the buffers of two sockets.
    expect(written).toBeLessThan(16_000_000);
  });

  test("of 500 whose body never ends has the error status", async () => {
    const target = await at.receiving(flooding("HTTP/1.1 500 Broken\r\n\r\n", "a".repeat(4_096)));
    expect(await at.send(target)).toMatchObject({ status: 500, error: "status" });
    await at.receiver.until(({ open }) => open === 0);
  });

  test("that comes before the body is read counts", async () => {
    await at.listen();
    at.receiver.onConnection = (socket) => socket.end("HTTP/1.1 413 Too Large\r\nconnection: close\r\n\r\ntoo large");
    const target = await at.addresses.resolve(at.receiver.url());
    const posted = await at.send(target, { body: Buffer.alloc(30_000) });
    expect(posted).toMatchObject({ status: 413, error: "status", answer: "too large" });
  });
});

describe("the address", () => {
  test("that was checked is the one that is connected to, whatever the name leads to now", async () => {
    const forbidden = await Receiver.listen({ host: "127.0.0.1" });
    await at.listen({ host: "127.0.0.2", port: forbidden.port });
    const answers = ["127.0.0.2", "127.0.0.1"];
    const rebinding = new SsrfGuard({
      allow: ["127.0.0.2"],
      resolve: async () => [{ address: answers.shift() ?? "127.0.0.1" }],
    });
    const target = await rebinding.resolve(`http://localhost:${at.receiver.port}/`);
    expect(await at.send(target)).toMatchObject({ status: 200 });
    expect([at.receiver.requests.length, forbidden.connections]).toEqual([1, 0]);
    await expect(rebinding.resolve(`http://localhost:${at.receiver.port}/`)).rejects.toMatchObject({
      fault: "forbidden_address",
    });
    await forbidden.close();
  });

  test("that does not answer gives way to the next", async () => {
    await at.listen({ host: "127.0.0.3" });
    const several = new SsrfGuard({
      allow: ["127.0.0.0/8", "::1"],
      resolve: async () => [{ address: "127.0.0.2" }, { address: "::1" }, { address: "127.0.0.3" }],
    });
    expect(await at.send(await several.resolve(`http://hooks.test:${at.receiver.port}/`))).toMatchObject({
      status: 200,
    });
  });

  test("may be written as it is, and localhost is the real one", async () => {
    await at.listen();
    expect(await at.send(await at.addresses.resolve(at.receiver.url("127.0.0.1")))).toMatchObject({ status: 200 });
    const real = new SsrfGuard({ allow: ["127.0.0.0/8", "::1"] });
    expect(await at.send(await real.resolve(at.receiver.url("localhost")))).toMatchObject({ status: 200 });
    const six = await Receiver.listen({ host: "::1" });
    expect(await at.send(await real.resolve(six.url("[::1]")))).toMatchObject({ status: 200 });
    expect(six.requests[0]?.headers.get("host")).toBe(`[::1]:${six.port}`);
    await six.close();
  });
});
