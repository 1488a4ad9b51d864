import { expect, test } from "bun:test";
import fc from "fast-check";
import { requireBaseUrl } from "./base-url.ts";
import { IntakeError } from "./errors.ts";

test("slashes at the end go, a path stays", () => {
  fc.assert(
    fc.property(
      fc.webUrl({ validSchemes: ["http", "https"], withQueryParameters: false, withFragments: false }),
      fc.nat({ max: 3 }),
      (url, slashes) => {
        fc.pre(!url.includes("@"));
        expect(requireBaseUrl("baseUrl", url + "/".repeat(slashes))).toBe(url.replace(/\/+$/, ""));
      },
    ),
  );
  expect(requireBaseUrl("ingestUrl", "http://[::1]:3000/behind/a/proxy//")).toBe("http://[::1]:3000/behind/a/proxy");
});

const wrong = [
  "",
  "intake.example.org",
  "//intake.example.org",
  "ftp://intake.example.org",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "http:",
  "http://",
  "http:///",
  "https://user:password@intake.example.org",
  "https://user@intake.example.org",
  "https://intake.example.org?a=b",
  "https://intake.example.org/#a",
  "https://intake.example.org /",
  " https://intake.example.org",
  "https://intake.example.org\n",
];
test.each(wrong)("%p is none", (value) => {
  expect(() => requireBaseUrl("baseUrl", value)).toThrow(IntakeError);
  expect(() => requireBaseUrl("ingestUrl", value)).toThrow(/ingestUrl/);
});

test.each([undefined, null, 5, {}])("neither is %p", (value) => {
  expect(() => requireBaseUrl("baseUrl", value as unknown as string)).toThrow(IntakeError);
});

test("what is taken leads to its host, with any path behind it", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^https?:\/\/[a-z/:.@?#]{0,12}$/), (text) => {
      let base = "";
      try {
        base = requireBaseUrl("baseUrl", text);
      } catch (error) {
        expect(error).toBeInstanceOf(IntakeError);
        return;
      }
      fc.pre(URL.canParse(base));
      const { pathname, search, hash, username, password } = new URL(`${base}/api/ingest`);
      expect(pathname).toEndWith("/api/ingest");
      expect([search, hash, username, password]).toEqual(["", "", "", ""]);
      expect(new URL(`${base}/api/ingest`).host).toBe(new URL(text).host);
    }),
    { numRuns: 2_000 },
  );
});

test("a password that was given by mistake is not repeated", () => {
  expect(() => requireBaseUrl("baseUrl", "https://user:hunter2@example.org")).toThrow(/^(?!.*hunter2)/);
});
