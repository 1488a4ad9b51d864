import { expect, test } from "bun:test";
import fc from "fast-check";
import { scrub } from "./scrub.ts";

const secret = fc.stringMatching(/^s3cr3t[\w.~+/=-]{1,20}$/);
const names = [
  "Authorization",
  "proxy-authorization",
  "auth",
  "Cookie",
  "set-cookie",
  "password",
  "PASSWD",
  "passphrase",
  "clientSecret",
  "credentials",
  "apiKey",
  "x-api-key",
  "api_key",
  "accessToken",
  "csrf_token",
];

test("nothing under a telling name is left, however deep", () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.jsonValue(), secret, fc.nat({ max: 4 }), (name, more, value, depth) => {
      for (const hidden of [value, [value], { value }, value.length]) {
        let report: Record<string, unknown> = { [name]: hidden, more };
        for (let i = 0; i < depth; i++) report = { contexts: [report] };
        const text = JSON.stringify(scrub(report));
        expect(text).not.toContain(value);
        expect(text).toContain("[removed]");
      }
    }),
  );
});

test("a bearer or basic credential goes from any text", () => {
  fc.assert(
    fc.property(fc.constantFrom("Bearer", "bearer", "BASIC", "Basic  "), secret, (scheme, value) => {
      const message = `GET /a\nAuthorization: ${scheme} ${value}\nHost: b`;
      expect(scrub({ message, breadcrumbs: [{ message }] })).toEqual({
        message: "GET /a\nAuthorization: [removed]\nHost: b",
        breadcrumbs: [{ message: "GET /a\nAuthorization: [removed]\nHost: b" }],
      });
    }),
  );
});

test("what tells nothing stays, and the report itself is not touched", () => {
  const report = {
    title: "Basically a bear",
    type: "crash",
    user: { id: "7", author: "me" },
    tags: { tokens: "12", monkey: "yes", authenticated: "true" },
    contexts: { list: [1, null, true, "x"] },
  };
  const before = structuredClone(report);
  expect(scrub(report)).toEqual(before);
  scrub({ password: "x" });
  expect(report).toEqual(before);
});
