import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RunningBinary, serve } from "../support/binary.ts";
import { newSdkKey, submit } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import type { Target } from "../support/targets.ts";
import { newToken, post } from "../support/tickets.ts";
import { until } from "../support/until.ts";

let installation: Installation;
let server: RunningBinary;
let target: Target;
let metricsUrl: string;

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder, ["--metrics", "127.0.0.1:0"]);
  const { url } = server;
  metricsUrl = await until(() => /"metrics":"([^"]+)"/.exec(server.stderr())?.[1]);
  target = { way: "compiled binary", installation, url, send: (path, init) => fetch(url + path, init) };
}, 180_000);

afterAll(async () => {
  await server.stop();
  await installation.remove();
}, 180_000);

/** The lines of the metric: labels as text → count. */
async function counts(): Promise<Record<string, number>> {
  const text = await (await fetch(metricsUrl)).text();
  const lines = text.matchAll(/^intake_sdk_requests_total\{(.*)\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, labels = "", count]) => [labels, Number(count)]));
}

const told = (sdk: string) => ({ "x-intake-sdk": sdk });

test("requests of both APIs count by SDK and version, whatever the answer; none without the header", async () => {
  const { token } = await newToken(installation);
  const { key } = await newSdkKey(installation);
  await post(target, { token });
  await submit(target, { key });
  expect(await counts()).toEqual({});

  await post(target, { token, headers: told("@intake/client/0.1.0; node/22.1.0") });
  await post(target, { token, body: {}, headers: told("@intake/client/0.1.0; bun/1.4.5") });
  await submit(target, { key, headers: told("@intake/client/0.1.0") });
  await submit(target, { key, parts: [], headers: told("intake-go/2.0.0") });
  await post(target, { token: "unknown", headers: told("scanner/1.0") });
  await submit(target, { key: "unknown", headers: told("scanner/1.0") });
  await post(target, { token, headers: told('"}\\ evil') });
  expect(await counts()).toEqual({
    'sdk="@intake/client",version="0.1.0"': 3,
    'sdk="intake-go",version="2.0.0"': 1,
    'sdk="other",version="other"': 2,
    'sdk="invalid",version="invalid"': 1,
  });
});

test("labels are bounded, however many SDKs are told of", async () => {
  const { token } = await newToken(installation);
  for (let i = 0; i < 60; i++) await post(target, { token, headers: told(`many/1.${i}`) });
  for (let i = 2; i < 20; i++) await post(target, { token, headers: told(`@intake/client/0.${i}.0`) });
  const found = await counts();
  expect(Object.keys(found).length).toBe(40 + 10 + 3);
  expect(found).toHaveProperty(['sdk="@intake/client",version="0.2.0"'], 1);
  expect(found).toHaveProperty(['sdk="@intake/client",version="other"'], 9);
});

test("a refusal is logged with the SDK, cut and without what steers a terminal", async () => {
  const { token } = await newToken(installation);
  const { key } = await newSdkKey(installation);
  const logged = (response: Response) => {
    const id = response.headers.get("x-request-id") ?? "";
    return until(() =>
      server
        .stderr()
        .split("\n")
        .find((line) => line.includes(id)),
    );
  };
  const sdk = "@intake/client/0.1.0; node/22.1.0";
  for (const response of [
    await post(target, { token, body: "", headers: told(sdk) }),
    await post(target, { headers: told(sdk) }),
    await submit(target, { key, parts: [], headers: told(sdk) }),
    await submit(target, { headers: told(sdk) }),
  ]) {
    expect(JSON.parse(await logged(response))).toMatchObject({ sdk });
  }
  const steering = await post(target, { headers: told(`\u009b31m${"x".repeat(500)}`) });
  expect(JSON.parse(await logged(steering))).toMatchObject({ sdk: `?31m${"x".repeat(124)}` });
  expect(await logged(await post(target, {}))).not.toContain("sdk");
});

test("a page of any origin may send it", async () => {
  const asked = { "access-control-request-method": "POST", "access-control-request-headers": "x-intake-sdk" };
  for (const headers of [asked, { "access-control-request-method": "POST" }]) {
    const response = await target.send("/api/ingest", { method: "OPTIONS", headers });
    expect(response.headers.get("access-control-allow-headers")).toContain("x-intake-sdk");
  }
});
