import { expect, test } from "bun:test";
import { readUserAgent } from "./user-agent.ts";

const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

test("browser and system are told as people know them", () => {
  const cases: [string, string | undefined, string | undefined][] = [
    [chrome, "Chrome", "Windows"],
    [`${chrome} Edg/140.0.0.0`, "Edge", "Windows"],
    [`${chrome} OPR/120.0.0.0`, "Opera", "Windows"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux"],
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36",
      "Chrome",
      "Linux",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
      "Safari",
      "macOS",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari",
      "iPhone",
    ],
    [
      "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
      "Chrome",
      "Android",
    ],
    ["curl/8.14.1", "curl", undefined],
    ["", undefined, undefined],
    ["<script>alert(1)</script>", undefined, undefined],
  ];
  for (const [text, browser, system] of cases) {
    expect([text, readUserAgent(text)]).toEqual([
      text,
      { ...(browser ? { browser } : {}), ...(system ? { system } : {}) },
    ]);
  }
});
