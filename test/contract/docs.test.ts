import { expect, test } from "bun:test";
import { describeTargets } from "../support/targets.ts";

describeTargets("the reference", (target) => {
  const ask = (init: RequestInit = {}, path = "/docs") => target().send(path, init);

  test("is one page that loads nothing", async () => {
    const response = await ask();
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const page = await response.text();
    expect(page).toStartWith("<!doctype html>");
    expect(page).not.toMatch(/<(?:script|img|link|iframe)[^>]+(?:src|href)="(?!data:)/);
    expect(page).not.toMatch(/@import|url\(|https?:\/\/(?!www\.w3\.org\/)/);
  });

  test("its policy allows its own style and script, and no other", async () => {
    const response = await ask();
    const page = await response.text();
    const digest = (element: string) => {
      const text = new RegExp(`<${element}[^>]*>(.*?)</${element}>`, "s").exec(page)?.[1] ?? "";
      return `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`;
    };
    expect(response.headers.get("content-security-policy")?.split("; ").sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src data:",
      "require-trusted-types-for 'script'",
      `script-src ${digest("script")}`,
      `style-src ${digest("style")}`,
      "trusted-types 'none'",
    ]);
  });

  test("HEAD works, other methods are 405, other paths 404", async () => {
    const head = await ask({ method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await ask({ method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    for (const path of ["/docs/", "/docs/index.html", "/docs/main.ts"]) expect((await ask({}, path)).status).toBe(404);
  });
});
