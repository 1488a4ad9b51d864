import { beforeAll, expect, test } from "bun:test";
import { subscribe } from "../support/deliveries.ts";
import { envelope, newSdkKey, submit } from "../support/ingest.ts";
import { signIn } from "../support/sign-in.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { asMember, newOp } from "./boards/as-member.ts";

interface Sent {
  bytes: Uint8Array;
  text: string;
  headers: Headers;
}

const longest = 20_000;
const decoders = { gzip: Bun.gunzipSync, zstd: Bun.zstdDecompressSync };

const suite = (target: () => Target) => {
  let cookie: string;

  beforeAll(async () => {
    cookie = (await signIn(target(), "admin")).cookie;
  });

  /** The answer as sent, and the text that it contains. */
  async function get(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<Sent> {
    const given = { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json", ...headers };
    const response = await target().send(path, { headers: given, decompress: false, ...init } as RequestInit);
    expect([path, response.status]).toEqual([path, 200]);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const coding = response.headers.get("content-encoding") as keyof typeof decoders | null;
    const plain = coding === null ? bytes : decoders[coding](Uint8Array.from(bytes));
    return { bytes, text: new TextDecoder().decode(plain), headers: response.headers };
  }

  const coded = ({ headers }: Sent) => [headers.get("content-encoding"), headers.get("vary")];

  async function cardWith(characters: number): Promise<string> {
    const { post } = await asMember(target());
    const { made } = target().installation;
    const words = Array.from({ length: characters / 10 }, (_, i) => `line ${i}`.padEnd(9)).join("\n");
    const card = { op: newOp(), columnId: made.columns[0]?.id, title: "Long", description: words.slice(0, characters) };
    return (await post<{ id: string }>("/cards", card)).id;
  }

  test("what is above 1 kB is compressed as the browser takes it, and says the same", async () => {
    const path = `/internal/cards/${await cardWith(longest)}`;
    const plain = await get(path, { "accept-encoding": "identity" });
    expect(coded(plain)).toEqual([null, "Accept-Encoding"]);
    expect(plain.text).toContain("line 1999");
    for (const [accepted, coding] of [
      ["gzip, deflate, br, zstd", "zstd"],
      ["gzip, deflate, br", "gzip"],
    ] as const) {
      const sent = await get(path, { "accept-encoding": accepted });
      expect(coded(sent)).toEqual([coding, "Accept-Encoding"]);
      expect(sent.text).toBe(plain.text);
      expect(sent.headers.get("content-length")).toBe(String(sent.bytes.length));
      expect(sent.bytes.length).toBeLessThan(plain.bytes.length / 3);
    }
  });

  test("so are large answers, and the same one to many at once", async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => cardWith(100)));
    const path = `/internal/cards?ids=${ids.join()}`;
    const plain = await get(path, { "accept-encoding": "identity" });
    expect(plain.bytes.length).toBeGreaterThan(32_768);
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, i) => get(path, { "accept-encoding": i % 2 === 0 ? "zstd" : "gzip" })),
    );
    for (const sent of many) expect(sent.text).toBe(plain.text);
  });

  test("small answers, and those to another site, stay as they are", async () => {
    const small = await get("/internal/me", { "accept-encoding": "gzip" });
    expect(coded(small)).toEqual([null, null]);
    const path = `/internal/cards/${await cardWith(longest)}`;
    for (const site of ["cross-site", "same-site", "none"]) {
      const sent = await get(path, { "accept-encoding": "gzip, zstd", "sec-fetch-site": site });
      expect([site, ...coded(sent)]).toEqual([site, null, "Accept-Encoding"]);
    }
  });

  test("what a change answers is not compressed: secrets that are shown once are answers to changes", async () => {
    const path = `/internal/cards/${await cardWith(longest)}`;
    const body = JSON.stringify({ priority: "high" });
    const sent = await get(path, { "accept-encoding": "gzip, zstd" }, { method: "PATCH", body });
    expect(sent.bytes.length).toBeGreaterThan(1_024);
    expect(coded(sent)).toEqual([null, null]);
  });

  test("nor are signatures and signed links", async () => {
    const { installation } = target();
    const { id } = await subscribe(installation, { types: [] });
    const { key } = await newSdkKey(installation);
    const parts = [envelope({ id: crypto.randomUUID(), title: "t".repeat(2_000), type: "crash" })];
    await submit(target(), { key, parts });
    const list = JSON.parse((await get(`/internal/subscribers/${id}/deliveries`, {})).text) as {
      items: { id: string }[];
    };
    const sent = await get(`/internal/subscribers/${id}/deliveries/${list.items[0]?.id}`, {
      "accept-encoding": "gzip",
    });
    expect(sent.bytes.length).toBeGreaterThan(1_024);
    expect(coded(sent)).toEqual([null, null]);
  });

  test("the live stream is not compressed, so that what is told arrives at once", async () => {
    const controller = new AbortController();
    const headers = { cookie, "accept-encoding": "gzip, zstd" };
    const response = await target().send("/internal/live", { headers, signal: controller.signal });
    expect(response.headers.get("content-encoding")).toBeNull();
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value as Uint8Array)).toContain("\nevent: hello\n");
    controller.abort();
  });
};

// In process no HTTP client decompresses the answer.
describeTargets("answers to the pages", suite, ["over loopback", "compiled binary"]);
