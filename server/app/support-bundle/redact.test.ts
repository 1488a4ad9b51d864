import { expect, test } from "bun:test";
import { computed } from "../../../test/support/in-time.ts";
import { Redaction } from "./redact.ts";

const plain = new Redaction([]);

test.each([
  "0198c0de-0000-7000-8000-000000000001",
  "4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7",
  'intake_request_duration_seconds_bucket{le="0.005",route="createTicket",status_class="2xx"} 12',
  '  "api_token": 3,\n  "token": 100000000\n}',
  "run: chmod 700 /var/lib/intake; look at https://intake.example.org/docs [secret_key_mode]",
  "ok    secret key: it is the one that secrets of subscribers are sealed with",
  "at answerPublic (/build/server/http/public-route.ts:106:22)",
  "SQLite 3.54.1, Bun 1.4.5, linux x64, @intake/client 0.1.0",
])("%s stays as it is", (text) => {
  expect(plain.text(text)).toBe(text);
});

test.each([
  ["postgres://intake:pass@db.test:5432/intake?sslmode=x", "postgres://[hidden]@db.test:5432/intake?[hidden]"],
  ["https://user@h.test/a#fragment", "https://[hidden]@h.test/a?[hidden]"],
  ["http://h.test/files/a/envelope/c0de", "http://h.test/files/[hidden]"],
  ["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [hidden]"],
  ["itk_abc isk_def whsec_ghi=", "itk_[hidden] isk_[hidden] whsec_[hidden]"],
  ["ada@example.org, Ünï.cödé@exämple.org", "[e-mail], [e-mail]"],
  ['{"password":"a b","token":"x"}', '{"password":"[hidden] b","token":"[hidden]"}'],
  ["DB_PASSWORD=swordfish", "DB_PASSWORD=[hidden]"],
  ["api-key: abc, cookie=def", "api-key: [hidden], cookie=[hidden]"],
  ["AKIAIOSFODNN7EXAMPLE", "[hidden]"],
  [`sha ${"ab12".repeat(16)}`, "sha [hidden]"],
  ["-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "[hidden]"],
  ["-----BEGIN EC PRIVATE KEY-----\nMIIE", "[hidden]"],
])("%s is cut", (text, redacted) => {
  expect(plain.text(text)).toBe(redacted);
});

test("known secrets are found as they are, encoded for an address, and within JSON", () => {
  const redaction = new Redaction(['quote " and back\\slash', "two words", "short"]);
  for (const form of [
    'quote " and back\\slash',
    encodeURIComponent("two words"),
    JSON.stringify('quote " and back\\slash'),
  ]) {
    expect(redaction.text(`<${form}>`)).toMatch(/^<"?\[hidden\]"?>$/);
  }
  expect(redaction.text("short")).toBe("short");
});

test("a line that is too long to be searched is left out, and one that is just short enough takes no time", () => {
  expect(plain.text(`a\n${"x".repeat(2_001)}\nb`)).toBe("a\n[a line of 2001 characters]\nb");
  for (const text of ["a", "A", "@", ".", "-", "=", "a@", "aA1", "token=", "://", "a://", "-----BEGIN "]) {
    const line = text.repeat(2_000 / text.length);
    const started = computed();
    for (let n = 0; n < 20; n++) plain.text(line);
    expect([text, computed() - started < 5_000]).toEqual([text, true]);
  }
});
