import { describe, expect, test } from "bun:test";
import { isOfDomain, lacksClaims, personOf, roleOf } from "./person.ts";

const provider = {
  issuer: "https://sso.example.org",
  groupsClaim: null as string | null,
  adminGroups: [] as string[],
  memberGroups: [] as string[],
  domains: ["example.org"],
};
const person = (claims: Record<string, unknown>, given: Partial<typeof provider> = {}) =>
  personOf({ sub: "ada", ...claims }, { ...provider, ...given });

test.each([
  [{ email: "Ada@Example.ORG", email_verified: true }, "ada@example.org"],
  [{ email: "ada@example.org", email_verified: "true" }, null],
  [{ email: "ada@example.org" }, null],
  [{ email: "no address", email_verified: true }, null],
  [{ email: "a@b@example.org", email_verified: true }, null],
  [{ email: ["ada@example.org"], email_verified: true }, null],
  [{ email: "a\u0000@example.org", email_verified: true }, null],
])("of %p the verified address is %p", (claims, email) => {
  expect(person(claims).email).toBe(email);
});

test.each([
  ["ada@example.org", true],
  ["ada@sub.example.org", false],
  ["ada@notexample.org", false],
  ["ada@example.org.elsewhere.example", false],
])("%p is of the domain: %p", (email, expected) => {
  expect(isOfDomain(email, provider)).toBe(expected);
});

describe("groups", () => {
  test.each([
    [null, { groups: ["a", 1, null, "b"] }, ["a", "b"]],
    [null, { groups: "a" }, ["a"]],
    ["realm_access.roles", { realm_access: { roles: ["a"] } }, ["a"]],
    ["https://example.org/groups", { "https://example.org/groups": ["a"] }, ["a"]],
    ["constructor.name", {}, []],
    ["__proto__", {}, []],
    ["groups.length", { groups: "abc" }, []],
    [null, { groups: { a: 1 } }, []],
  ])("by the claim %p of %p are %p", (groupsClaim, claims, groups) => {
    expect(person(claims, { groupsClaim }).groups).toEqual(groups);
  });

  test.each([
    [[], [], ["x"], undefined],
    [["boss"], [], ["x"], "member"],
    [["boss"], [], ["boss"], "admin"],
    [["boss"], ["staff"], ["staff"], "member"],
    [["boss"], ["staff"], ["boss"], "admin"],
    [["boss"], ["staff"], ["x"], null],
    [[], ["staff"], [], null],
    [[], ["staff"], ["Staff"], null],
  ] as const)("admins %p and members %p: who is in %p is %p", (admins, members, groups, role) => {
    const mapping = { ...provider, adminGroups: [...admins], memberGroups: [...members] };
    expect(roleOf({ groups: [...groups] }, mapping)).toBe(role as never);
  });
});

test("details are asked for when an address, or groups that decide, are missing", () => {
  expect(lacksClaims({ email: "a" }, provider)).toBe(false);
  expect(lacksClaims({}, provider)).toBe(true);
  const mapped = { ...provider, memberGroups: ["staff"] };
  expect(lacksClaims({ email: "a" }, mapped)).toBe(true);
  expect(lacksClaims({ email: "a", groups: [] }, mapped)).toBe(false);
});

test("a person has a name, whatever the provider sends", () => {
  expect(person({ name: "  Ada  " }).name).toBe("Ada");
  expect(person({ given_name: "Ada", family_name: "Byron" }).name).toBe("Ada Byron");
  expect(person({ preferred_username: "ada" }).name).toBe("ada");
  expect(person({ name: "x".repeat(200) }).name).toHaveLength(80);
  expect(person({ name: { a: 1 } }).name).toBe("New member");
});
