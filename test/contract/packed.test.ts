import { expect, test } from "bun:test";
import { describeTargets, type Target } from "../support/targets.ts";

const suite = (target: () => Target) => {
  const pages = ["/docs", "/openapi.json", "/openapi.3.0.json", "/report-envelope.schema.json"];

  test.each(pages)("%s is the same packed and not", async (path) => {
    const text = async (accepted: string, coding: string | null) => {
      const response = await target().send(path, { headers: { "accept-encoding": accepted } });
      expect(response.headers.get("vary")).toBe("Accept-Encoding");
      expect(response.headers.get("content-encoding")).toBe(coding);
      return [await response.text(), response.headers.get("etag")];
    };
    const plain = await text("identity", null);
    expect(plain).toEqual([expect.stringMatching(/^[<{]/), expect.stringMatching(/^W\/"[0-9a-f]{16}"$/)]);
    expect(await text("gzip, br", "gzip")).toEqual(plain);
    expect(await text("gzip;q=0, br", null)).toEqual(plain);
  });

  test.each(pages)("%s is not sent again to whoever has it", async (path) => {
    const ask = (tags: string) => target().send(path, { headers: { "if-none-match": tags } });
    const etag = (await target().send(path)).headers.get("etag") ?? "";
    const strong = etag.replace("W/", "");
    for (const tags of [etag, strong, `"other", ${etag}`, `W/"a, b" , ${strong},"c"`, "*"]) {
      const again = await ask(tags);
      expect([tags, again.status, await again.text()]).toEqual([tags, 304, ""]);
      expect(again.headers.get("etag")).toBe(etag);
    }
    for (const tags of ['"other"', 'W/"other", "*"', strong.slice(1, -1), `"${strong.slice(2)}`, ""]) {
      expect([tags, (await ask(tags)).status]).toEqual([tags, 200]);
    }
  });
};

// In process no HTTP client decompresses the answer.
describeTargets("what is served packed", suite, ["over loopback", "compiled binary"]);
