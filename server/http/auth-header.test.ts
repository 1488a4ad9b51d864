import { expect, test } from "bun:test";
import { AuthHeader, requireAuthHeader } from "./auth-header.ts";
import { SourceAddresses } from "./source-address.ts";

const trusted = "10.0.0.7";
const header = new AuthHeader("remote-email", new SourceAddresses(["10.0.0.0/29", "fd00::/64"]));
const personOf = (value: string | [string, string][], peer: string | undefined = trusted) =>
  header.personOf({ headers: new Headers(typeof value === "string" ? { "Remote-Email": value } : value) }, peer);

test("a trusted proxy names one person, by an address in any case", () => {
  expect(personOf(" Ada@Example.ORG ")).toEqual({ email: "ada@example.org" });
  expect(personOf("ada@example.org", "::ffff:10.0.0.7")).toEqual({ email: "ada@example.org" });
  expect(personOf("ada@example.org", "fd00::1")).toEqual({ email: "ada@example.org" });
});

test("nobody else names anybody", () => {
  for (const peer of ["10.0.0.8", "192.0.2.1", "::1", "fd00:0:0:1::1", ""]) {
    expect([peer, personOf("ada@example.org", peer)]).toEqual([peer, undefined]);
  }
  expect(header.personOf({ headers: new Headers({ "remote-email": "ada@example.org" }) }, undefined)).toBeUndefined();
});

test("several values, lists, names and anything that is not one address are unclear", () => {
  for (const value of [
    "ada@example.org, eve@example.org",
    "ada@example.org,",
    "ada@example.org;eve@example.org",
    "Ada <ada@example.org>",
    '"ada"@example.org',
    "ada",
    "@example.org",
    "ada@",
    "ada@example.org eve@example.org",
    "ada@eve@example.org",
    `${"a".repeat(260)}@example.org`,
  ]) {
    expect([value, personOf(value)]).toEqual([value, "unclear"]);
  }
  const twice: [string, string][] = [
    ["Remote-Email", "ada@example.org"],
    ["remote-email", "eve@example.org"],
  ];
  expect(personOf(twice)).toBe("unclear");
  expect(personOf([...twice.slice(0, 1), ["REMOTE-EMAIL", "ada@example.org"]])).toBe("unclear");
});

test("other spellings are other headers, and an empty one names nobody", () => {
  expect(personOf([["Remote_Email", "eve@example.org"]])).toBeUndefined();
  expect(
    personOf([
      ["Remote-Email", "ada@example.org"],
      ["Remote_Email", "eve@example.org"],
    ]),
  ).toEqual({
    email: "ada@example.org",
  });
  for (const empty of ["", "   "]) expect(personOf(empty)).toBeUndefined();
});

test("the name is that of a header of its own", () => {
  expect(requireAuthHeader("X-Forwarded-Email")).toBe("x-forwarded-email");
  expect(requireAuthHeader("Cf-Access-Authenticated-User-Email")).toBe("cf-access-authenticated-user-email");
  for (const name of [
    ...["", "Remote_Email", "remote email", "-x", "Remote-Email:", "é", "x".repeat(65)],
    ...["Cookie", "authorization", "Host", "Origin", "X-Forwarded-For", "Sec-Fetch-Site", "User-Agent", "Content-Type"],
    ...["X-Intake-Unattended", "From", "Proxy-Authorization"],
  ]) {
    expect(() => requireAuthHeader(name)).toThrow("must be");
  }
});
