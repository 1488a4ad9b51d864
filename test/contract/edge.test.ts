import { expect, test } from "bun:test";
import { connect } from "node:net";
import { onPostgres } from "../support/databases.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { newToken, post } from "../support/tickets.ts";

/** How many answers are waited for, and what is sent once something has come back. */
interface Expecting {
  answers?: number;
  later?: string;
}

/** The server is silent for so long that nothing more is expected of it. */
const quietMilliseconds = 400;

/**
 * Sends bytes as they are, and `later` once something has come back; returns what arrived until the server closed the
 * connection, or was silent for a while after as many answers as are expected.
 */
function raw({ url }: Target, text: string | Uint8Array, { answers = 1, later }: Expecting = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const end = () => {
      socket.destroy();
      resolve(received);
    };
    const isComplete = () => (received.match(/HTTP\/1\.1 \d/g)?.length ?? 0) >= answers;
    let timer = setTimeout(end, answers === 0 ? quietMilliseconds * 5 : 60_000);
    socket.on("data", (chunk) => {
      if (received === "" && later !== undefined) socket.write(later);
      received += chunk.toString("latin1");
      if (!isComplete()) return;
      clearTimeout(timer);
      timer = setTimeout(end, quietMilliseconds);
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
    socket.on("error", reject);
  });
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as Record<string, unknown>;

describeTargets("paths and methods", (target) => {
  for (const path of [
    "/api/v1/tickets/",
    "/api/v1/%74ickets",
    "/api/v1/tickets/x",
    "/API/v1/tickets",
    "/api/v1",
    "/api/v2/tickets",
    "/favicon.ico",
  ]) {
    test(`${path} is 404, not a redirect`, async () => {
      const { token } = await newToken(target().installation);
      const response = await post(target(), { path, token });
      expect([response.status, await response.json()]).toMatchObject([404, { error: "not_found" }]);
    });
  }

  for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    test(`${method} on tickets is 405 with Allow: POST`, async () => {
      const response = await post(target(), { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
      expect(await response.json()).toMatchObject({ error: "method_not_allowed" });
      expect(response.headers.has("access-control-allow-origin")).toBe(false);
    });
  }

  test("a query string does not matter", async () => {
    const { token } = await newToken(target().installation);
    expect((await post(target(), { path: "/api/v1/tickets?debug=1", token })).status).toBe(201);
  });

  test("/livez and /readyz answer, POST on them is 405", async () => {
    expect(await (await target().send("/livez")).json()).toEqual({ status: "live" });
    expect(await (await target().send("/readyz")).json()).toEqual({ status: "ready" });
    const response = await target().send("/livez", { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("the request id is ours, never an incoming one", async () => {
    const response = await post(target(), { headers: { "x-request-id": "mine" } });
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });
});

describeTargets(
  "on the wire",
  (target) => {
    async function request(head: string[], body: string | Uint8Array = '{"title":"x"}') {
      const { token } = await newToken(target().installation);
      const lines = head.map((line) => line.replace("TOKEN", token));
      const text = `${lines.join("\r\n")}\r\n\r\n`;
      return raw(target(), Buffer.concat([Buffer.from(text, "latin1"), Buffer.from(body)]));
    }
    const first = "POST /api/v1/tickets HTTP/1.1";
    const usual = ["Host: a", "Authorization: Bearer TOKEN", "Content-Type: application/json"];

    test("a host of one letter, an empty one and none on HTTP/1.0 all work", async () => {
      expect(statusOf(await request([first, ...usual, "Content-Length: 13"]))).toBe(201);
      expect(statusOf(await request([first, "Host: ", ...usual.slice(1), "Content-Length: 13"]))).toBe(201);
      const old = await request(["POST /api/v1/tickets HTTP/1.0", ...usual.slice(1), "Content-Length: 13"]);
      expect(statusOf(old)).toBe(201);
      expect(String(bodyOf(old)["url"])).toStartWith(target().url);
    });

    test("two Host lines are 400, equal or not, on every path", async () => {
      for (const hosts of [["Host: a", "Host: b"], ["Host: a", "host: a"], ["Host: a, b"]]) {
        for (const line of [first, "POST /api/ingest HTTP/1.1", "GET /livez HTTP/1.1", "GET / HTTP/1.1"]) {
          const answer = await request([line, ...hosts, ...usual.slice(1), "Content-Length: 0"], "");
          expect([statusOf(answer), bodyOf(answer)]).toMatchObject([400, { error: "invalid_input" }]);
        }
      }
    });

    test("a method that Bun knows and Intake does not is 405; one that Bun does not know has no answer", async () => {
      for (const method of ["PROPFIND", "QUERY", "PURGE", "M-SEARCH", "CONNECT"]) {
        const answer = await raw(target(), `${method} /api/v1/tickets HTTP/1.1\r\nHost: a\r\n\r\n`);
        expect([statusOf(answer), /^allow: POST\r$/im.test(answer)]).toEqual([405, true]);
      }
      // docs/limits.md lists this as a limit of Bun: when a newer Bun behaves differently, that page has to change.
      expect(await raw(target(), "BREW /api/v1/tickets HTTP/1.1\r\nHost: a\r\n\r\n", { answers: 0 })).toBe("");
    });

    test("with request trailers the answer is a 400 without a body; the same key then stands for one ticket", async () => {
      const { installation } = target();
      const { token } = await newToken(installation);
      const key = crypto.randomUUID();
      const head = `${first}\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}`;
      const answer = await raw(
        target(),
        `${head}\r\nTransfer-Encoding: chunked\r\n\r\nd\r\n{"title":"x"}\r\n0\r\nX-Trailer: 1\r\n\r\n`,
      );
      expect(answer).toBe("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
      const again = await raw(target(), `${head}\r\nContent-Length: 13\r\n\r\n{"title":"x"}`);
      expect(statusOf(again)).toBe(201);
      // In a folder, the first request has stored the ticket. While a database is asked for its credential, it is over.
      if (!onPostgres) expect(again.toLowerCase()).toContain("idempotent-replayed: true");
      const stored = await installation.ctx.store.all<{ id: string }>(
        "select id from ticket where idempotency_key = $1",
        [key],
      );
      expect(stored).toEqual([{ id: String(bodyOf(again)["id"]) }]);
    });

    for (const path of ["//api/v1/tickets", "/api//v1/tickets", "/api/v1/%74ickets"]) {
      test(`${path} is another path`, async () => {
        expect(statusOf(await request([`POST ${path} HTTP/1.1`, ...usual, "Content-Length: 13"]))).toBe(404);
      });
    }

    test("the Host header never reaches the card's link", async () => {
      const answer = await request([first, "Host: evil.example", ...usual.slice(1), "Content-Length: 13"]);
      expect(answer).not.toContain("evil.example");
    });

    test("two Authorization lines are 401", async () => {
      const answer = await request([first, ...usual, "Authorization: Bearer TOKEN", "Content-Length: 13"]);
      expect(statusOf(answer)).toBe(401);
    });

    test("two Idempotency-Key lines are one value", async () => {
      const { token } = await newToken(target().installation);
      const head = [
        first,
        "Host: a",
        `Authorization: Bearer ${token}`,
        "Content-Type: application/json",
        "Content-Length: 13",
      ];
      const send = (lines: string[]) => raw(target(), `${[...head, ...lines].join("\r\n")}\r\n\r\n{"title":"x"}`);
      await send(["Idempotency-Key: a", "Idempotency-Key: b"]);
      expect((await send(["Idempotency-Key: a, b"])).toLowerCase()).toContain("idempotent-replayed: true");
    });

    test("obs-text in a key counts byte by byte", async () => {
      const head = [first, ...usual, "Content-Length: 13"];
      expect(statusOf(await request([...head, `Idempotency-Key: ${"\xe4".repeat(255)}`]))).toBe(201);
      expect(statusOf(await request([...head, `Idempotency-Key: ${"\xe4".repeat(256)}`]))).toBe(400);
    });

    test("a chunked body is read, one beyond 1 MiB is refused", async () => {
      const chunked = (size: number) => `${size.toString(16)}\r\n{"title":"x"${" ".repeat(size - 13)}}\r\n0\r\n\r\n`;
      const head = [first, ...usual, "Transfer-Encoding: chunked"];
      expect(statusOf(await request(head, chunked(1_048_576)))).toBe(201);
      const refused = await request(head, chunked(1_048_577));
      expect(bodyOf(refused)).toMatchObject({ error: "invalid_input", details: [{ code: "too_large" }] });
    });

    test("a declared length beyond the limit is refused before the body comes", async () => {
      const answer = await request([first, ...usual, "Content-Length: 99999999999"], "");
      expect(bodyOf(answer)).toMatchObject({ error: "invalid_input", details: [{ code: "too_large" }] });
    });

    test("an unknown credential is answered before the body comes", async () => {
      const head = [first, "Host: a", "Authorization: Bearer no", "Content-Type: application/json"];
      expect(statusOf(await request([...head, "Content-Length: 1000000"], ""))).toBe(401);
    });

    test("two equal Content-Length lines never smuggle a second request", async () => {
      const answer = await request([first, ...usual, "Content-Length: 13", "Content-Length: 13"]);
      expect([201, 400]).toContain(statusOf(answer));
      expect(answer.match(/HTTP\/1\.1 /g)?.length).toBe(1);
    });

    for (const [name, lines] of [
      ["conflicting lengths", ["Content-Length: 13", "Content-Length: 14"]],
      ["length and chunked", ["Content-Length: 13", "Transfer-Encoding: chunked"]],
      ["a negative length", ["Content-Length: -1"]],
      ["an unknown transfer coding", ["Transfer-Encoding: gzip, chunked"]],
    ] as const) {
      test(`${name}: 400 and the connection ends`, async () => {
        expect(statusOf(await request([first, ...usual, ...lines]))).toBe(400);
      });
    }

    test("headers of 20 kB are 431", async () => {
      expect(statusOf(await request([first, ...usual, `X-Long: ${"x".repeat(20_000)}`, "Content-Length: 13"]))).toBe(
        431,
      );
    });

    test("TRACE does not echo", async () => {
      const answer = await raw(target(), "TRACE /api/v1/tickets HTTP/1.1\r\nHost: a\r\nX-Secret: s\r\n\r\n");
      expect([statusOf(answer), answer.includes("X-Secret")]).toEqual([405, false]);
    });

    test("the connection stays usable after a refusal with an unread body", async () => {
      const { token } = await newToken(target().installation);
      const head = (credential: string, length: number) =>
        `${first}\r\nHost: a\r\nAuthorization: Bearer ${credential}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
      const refused = `${head("no", 500_000)}${"x".repeat(500_000)}`;
      const answers = await raw(target(), refused, { answers: 2, later: `${head(token, 13)}{"title":"x"}` });
      expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["401", "201"]);
    });
  },
  ["over loopback", "compiled binary"],
);
