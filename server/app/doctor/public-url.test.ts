import { afterAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { Authority, type Certificate } from "../../../test/support/certificates.ts";
import { Sealing } from "../../core/sealing.ts";
import { proveOperator, seenRequest } from "../../http/seen-request.ts";
import { examinePublicUrl, judgeSeen } from "./public-url.ts";

const sealing = new Sealing(new Uint8Array(32).fill(1));
const authority = new Authority();
afterAll(() => authority.remove());

const edge = { peerOf: () => "127.0.0.1", sourceOf: () => "127.0.0.1" };

async function codesOf(certificate: Certificate, names = ["localhost"]) {
  const server = Bun.serve({
    port: 0,
    tls: certificate,
    fetch: (request) => Response.json({ status: "live", seen: seenRequest(edge, sealing, request) }),
  });
  const codes = [];
  for (const name of names) {
    const found = await examinePublicUrl(`https://${name}:${server.port}`, sealing);
    codes.push(found.map(({ code }) => code));
  }
  await server.stop(true);
  return codes;
}

test("a certificate is judged by its end, its names and its chain, and what is wrong with it hides no proxy", async () => {
  const inMonths = { days: 90 };
  expect(
    await codesOf(authority.issue(["DNS:localhost", "IP:127.0.0.1"], inMonths), ["localhost", "127.0.0.1"]),
  ).toEqual([
    ["tls_untrusted", "ok"],
    ["tls_untrusted", "ok"],
  ]);
  expect(await codesOf(authority.issue(["DNS:other.test"], inMonths))).toEqual([["tls_name", "ok"]]);
  expect(await codesOf(authority.issue(["DNS:localhost"], { until: new Date(Date.now() - 60_000) }))).toEqual([
    ["tls_expired", "ok"],
  ]);
});

test("what answers without what only the server can tell is something else", async () => {
  for (const body of ["", "{}", "not JSON", '{"status":"live"}', '{"seen":null}', "x".repeat(1_000_000)]) {
    const server = Bun.serve({ port: 0, fetch: () => new Response(body) });
    const found = await examinePublicUrl(`http://localhost:${server.port}`, sealing);
    await server.stop(true);
    expect(found.map(({ code }) => code)).toEqual(["ok", "public_url_elsewhere"]);
  }
});

test("an address that takes connections and never answers, or sends without end, is given up in bounded time", async () => {
  const mute = createServer(() => {});
  const endless = createServer((socket) => {
    socket.on("error", () => {});
    const sending = setInterval(() => socket.write("HTTP/1.1 200 OK\r\nx: y\r\n"), 5);
    socket.on("close", () => clearInterval(sending));
  });
  for (const server of [mute, endless]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const found = await examinePublicUrl(`https://127.0.0.1:${port}`, sealing, { patience: 300 });
    expect(found.map(({ code }) => code)).toEqual(["public_url_unreachable", "public_url_unreachable"]);
    server.close();
  }
});

test("nobody listens: that is what is said", async () => {
  const found = await examinePublicUrl("http://127.0.0.1:1", sealing);
  expect(found.map(({ code }) => code)).toEqual(["ok", "public_url_unreachable"]);
});

const madeUp = "192.0.2.77";
const far = "198.51.100.9";
test.each([
  ["a proxy that overwrites, and is trusted", { peer: "127.0.0.1", source: far, forwardedFor: far }, "ok"],
  ["a proxy that appends, and is trusted", { peer: "10.0.0.2", source: far, forwardedFor: `${madeUp}, ${far}` }, "ok"],
  [
    "a proxy on the same machine as doctor",
    { peer: "::1", source: madeUp, forwardedFor: `${madeUp}, 127.0.0.1` },
    "ok",
  ],
  ["no proxy, from afar", { peer: far, source: far, forwardedFor: madeUp }, "ok"],
  ["a proxy that is not trusted", { peer: "10.0.0.2", source: "10.0.0.2", forwardedFor: far }, "proxy_untrusted"],
  ["the same in IPv6", { peer: "::ffff:10.0.0.2", source: "10.0.0.2", forwardedFor: far }, "proxy_untrusted"],
  ["a proxy that passes on", { peer: "10.0.0.2", source: madeUp, forwardedFor: madeUp }, "proxy_believes_clients"],
  ["a proxy that takes away", { peer: "127.0.0.1", source: "127.0.0.1", forwardedFor: null }, "proxy_hides_sender"],
] as const)("%s", (_, seen, code) => {
  expect(judgeSeen(new URL("https://intake.example.org"), seen).code).toBe(code);
});

test("what a request looks like is told to nobody without a proof of this minute, by this key", () => {
  const now = Date.now();
  const ask = (proof: string) =>
    seenRequest(edge, sealing, new Request("http://localhost/livez", { headers: { "x-intake-doctor": proof } }));
  const proof = proveOperator(sealing);
  expect(ask(proof)).toEqual({ peer: "127.0.0.1", source: "127.0.0.1", forwardedFor: null });
  const wrong = [
    ...["", "x", `${proof}x`, proof.slice(0, -1), proof.replace(/^\d/, "2"), `${proof}, ${proof}`],
    proveOperator(new Sealing(new Uint8Array(32).fill(2))),
    proveOperator(sealing, now - 61_000),
    proveOperator(sealing, now + 61_000),
    `${now}.${"0".repeat(32)}.${sealing.linkCode(`${now}.${"0".repeat(32)}`)}`,
  ];
  expect(wrong.filter((one) => ask(one) !== undefined)).toEqual([]);
});
