import { describe, expect, test } from "bun:test";
import { Attempts } from "../../../test/support/attempts.ts";
import { chunked, dripping, flooding, resetAfter, saying, sayingLast } from "../../../test/support/behaviours.ts";
import type { Behaviour } from "../../../test/support/receiver.ts";

const at = new Attempts();

/** With this bound of an attempt, a fault that only the end of the time would show is never found: the test hangs. */
const never = 2 ** 31 - 1;

describe("a fault", () => {
  const faults: Record<string, [Behaviour, string]> = {
    "no answer but the end": [sayingLast(""), "connection"],
    "a reset": [(socket) => socket.resetAndDestroy(), "connection"],
    "the end within the head": [sayingLast("HTTP/1.1 200 OK\r\nconte"), "bad_answer"],
    "a reset within the head": [resetAfter("HTTP/1.1 200 OK\r\nconte"), "bad_answer"],
    "the end within the body": [sayingLast("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"), "bad_answer"],
    "a reset within the body": [resetAfter("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"), "bad_answer"],
    "the end within the chunks": [sayingLast(`${chunked}2\r\nok\r\n`), "bad_answer"],
    "no HTTP": [saying("220 mail.example ESMTP\r\n"), "bad_answer"],
    "the HTTP of 1991": [sayingLast("ok"), "bad_answer"],
    "HTTP/2": [saying("\0\0\x12\x04\0\0\0\0\0"), "bad_answer"],
    "another protocol": [
      saying("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
      "status",
    ],
    "a negative length": [saying("HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nok"), "bad_answer"],
    "two lengths": [saying("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nokk"), "bad_answer"],
    "a length and chunks": [
      saying("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
      "bad_answer",
    ],
    "a chunk without a size": [saying(`${chunked}zz\r\nok\r\n0\r\n\r\n`), "bad_answer"],
    "a NUL in a header": [saying("HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 0\r\n\r\n"), "bad_answer"],
    "1xx without end": [flooding("", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(20)), "bad_answer"],
    "headers without end": [flooding("HTTP/1.1 200 OK\r\n", "x-a: aaaaaaaaaaaa\r\n".repeat(20)), "bad_answer"],
    "a status line without end": [flooding("HTTP/1.1 200 ", "a".repeat(1_000)), "bad_answer"],
    "empty lines without end": [flooding("", "\r\n".repeat(500)), "bad_answer"],
    "a chunk extension without end": [flooding(`${chunked}1;`, "a".repeat(1_000)), "bad_answer"],
    "trailers without end": [flooding(`${chunked}2\r\nok\r\n0\r\n`, "x-a: aaaaaa\r\n".repeat(20)), "bad_answer"],
  };

  test.each(Object.entries(faults))("is %s, and the connection goes", async (_name, [behave, error]) => {
    const posted = await at.send(await at.receiving(behave), { totalMs: never });
    expect(posted).toMatchObject({ error });
    await at.receiver.until(({ open }) => open === 0);
  });

  test("is that nobody listens at the address", async () => {
    const target = await at.receiving();
    await at.receiver.close();
    expect(await at.send(target)).toEqual({ error: "connection", answer: "", took: expect.any(Number) });
  });

  test("is a header that cannot be sent", async () => {
    const target = await at.receiving();
    expect(await at.send(target, { headers: { "x-own": "a\r\nb" } })).toMatchObject({ error: "connection" });
  });

  test("does not hide the status", async () => {
    const target = await at.receiving(sayingLast("HTTP/1.1 410 Gone\r\ncontent-length: 9\r\n\r\nok"));
    expect(await at.send(target)).toMatchObject({ status: 410, error: "gone", answer: "ok" });
  });
});

describe("time", () => {
  const slow: Record<string, [Behaviour, object]> = {
    "there is no answer": [() => {}, { error: "timeout" }],
    "its head comes byte by byte": [dripping("HTTP/1.1 200 OK\r\nx: ", "a"), { error: "timeout" }],
    "1xx keep coming": [dripping("", "HTTP/1.1 102 Processing\r\n\r\n"), { error: "timeout" }],
    "its body comes byte by byte": [dripping("HTTP/1.1 200 OK\r\n\r\n", "a"), { status: 200, error: "too_slow" }],
    "its chunks come one by one": [dripping(chunked, "1\r\na\r\n"), { status: 200, error: "too_slow" }],
    "the body of an error does not end": [dripping("HTTP/1.1 503 Busy\r\n\r\n", "a"), { status: 503, error: "status" }],
  };

  test.each(Object.entries(slow))("is up when %s, and the connection goes", async (_name, [behave, outcome]) => {
    const posted = await at.send(await at.receiving(behave), { totalMs: 1_000 });
    expect(posted).toMatchObject(outcome);
    expect(posted.took).toBeWithin(995, 12_000);
    await at.receiver.until(({ open }) => open === 0);
  });

  test("to connect is bounded too", async () => {
    await at.listen();
    // TEST-NET: no host answers there, and no router refuses.
    const url = new URL("http://hooks.test:81/");
    const posted = await at.send(
      { url, addresses: [{ address: "192.0.2.1", family: 4 }] },
      { connectMs: 100, totalMs: never },
    );
    expect(["timeout", "connection"]).toContain(posted.error ?? "");
  });

  test("does not run while there is none left", async () => {
    const posted = await at.send(await at.receiving(() => {}), { totalMs: 0 });
    expect(posted).toMatchObject({ error: "timeout" });
  });

  test("is over when it is stopped", async () => {
    const target = await at.receiving(() => {});
    const controller = new AbortController();
    const posting = at.send(target, { signal: controller.signal });
    await at.receiver.until(({ requests }) => requests.length === 1);
    controller.abort();
    expect(await posting).toMatchObject({ error: "stopped" });
    await at.receiver.until(({ open }) => open === 0);
    expect(await at.send(target, { signal: controller.signal })).toMatchObject({ error: "stopped" });
    expect(at.receiver.connections).toBe(1);
  });
});
