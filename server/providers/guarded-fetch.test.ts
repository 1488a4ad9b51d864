import { afterAll, beforeAll, expect, test } from "bun:test";
import { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import { Connections } from "../webhooks/sender/connections.ts";
import { GuardedFetch } from "./guarded-fetch.ts";

let provider: Bun.Server<undefined>;
let told: Request | undefined;
const connections = new Connections();
const addresses = new SsrfGuard({ allow: ["127.0.0.1"] });
const network = new GuardedFetch({ addresses, connections, seconds: 60 });
/** For providers that do not come to an end. */
const hasty = new GuardedFetch({ addresses, connections, seconds: 0.3 });

beforeAll(() => {
  provider = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      told = request.clone() as Request;
      switch (new URL(request.url).pathname) {
        case "/silent":
          return new Promise<Response>(() => {});
        case "/drip":
          return new Response(
            new ReadableStream({
              async pull(controller) {
                await Bun.sleep(20);
                controller.enqueue(new Uint8Array(1));
              },
            }),
          );
        case "/endless":
          return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }));
        case "/away":
          return Response.redirect("https://elsewhere.example/", 302);
        default:
          return Response.json({ method: request.method, body: await request.text() });
      }
    },
  });
});
afterAll(async () => {
  connections.close();
  await provider.stop(true);
});

test("a question and its answer", async () => {
  const body = new URLSearchParams({ code: "a b" });
  const answer = await network.fetch(`${provider.url}token`, { method: "POST", headers: { "x-own": "1" }, body });
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(await answer.json()).toEqual({ method: "POST", body: "code=a+b" });
  expect(told?.headers.get("x-own")).toBe("1");
});

test.each([
  ["silent", hasty, "did not answer within 0.3 s"],
  ["drip", hasty, "did not answer within 0.3 s"],
  ["endless", network, "answered with more than 256 KiB"],
])("a provider that is %s is given up", async (path, { fetch }, message) => {
  await expect(fetch(provider.url + path)).rejects.toThrow(message);
});

test("a redirect is not followed", async () => {
  expect((await network.fetch(`${provider.url}away`)).status).toBe(302);
});

test("an address that is not allowed is never asked, and the flag that would allow it is named", async () => {
  const strict = new GuardedFetch({ addresses: new SsrfGuard({ allow: [], flag: "--provider-allow" }), connections });
  await expect(strict.fetch("https://10.0.0.1/")).rejects.toThrow("--provider-allow 10.0.0.1/32");
  await expect(network.fetch("http://169.254.169.254/latest/meta-data")).rejects.toThrow("is not a public address");
});
