import { expect, test } from "bun:test";
import { RateLimited } from "../core/rate-limited.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";

const tryOf = (account: string) => ({ account, from: "here", group: "strangers" });

function clocked(accountsMax?: number) {
  const clock = { now: 0 };
  const throttle = new SignInThrottle({ now: () => clock.now, ...(accountsMax === undefined ? {} : { accountsMax }) });
  /** Seconds to wait; 0 when the try is admitted. */
  const attempt = (account: string, from = "here", group: string | null = "strangers") => {
    try {
      throttle.begin({ account, from, group: group ?? undefined });
      return 0;
    } catch (error) {
      if (error instanceof RateLimited) return error.seconds;
      throw error;
    }
  };
  return { clock, throttle, attempt };
}

test("five tries are free; then the wait doubles up to five minutes, and ends by itself", () => {
  const { clock, attempt } = clocked();
  for (let i = 0; i < 5; i++) expect(attempt("a")).toBe(0);
  for (const seconds of [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    expect(attempt("a")).toBe(seconds);
    clock.now += seconds * 1_000 - 1;
    expect(attempt("a")).toBe(1);
    clock.now += 1;
    expect(attempt("a")).toBe(0);
  }
});

test("the wait begins when a wrong password was looked at, however long that took", () => {
  const { clock, throttle, attempt } = clocked();
  for (let i = 0; i < 5; i++) attempt("a");
  clock.now += 3_000;
  throttle.failed(tryOf("a"));
  expect(attempt("a")).toBe(2);
});

test("a try that was refused does not make the wait longer", () => {
  const { attempt } = clocked();
  for (let i = 0; i < 5; i++) attempt("a");
  for (let i = 0; i < 100; i++) expect(attempt("a")).toBe(2);
});

test("accounts are apart; a success, or an hour, starts afresh", () => {
  const { clock, throttle, attempt } = clocked();
  for (let i = 0; i < 5; i++) attempt("a");
  expect(attempt("b")).toBe(0);
  expect(attempt("a")).toBe(2);
  throttle.succeeded(tryOf("a"));
  for (let i = 0; i < 5; i++) expect(attempt("a")).toBe(0);
  expect(attempt("a")).toBe(2);
  clock.now += 3_600_000;
  for (let i = 0; i < 5; i++) expect(attempt("a")).toBe(0);
});

test("never more accounts than its bound: the one that was not tried for longest goes", () => {
  const { attempt } = clocked(3);
  for (let i = 0; i < 5; i++) attempt("a");
  for (const account of ["b", "c"]) attempt(account);
  expect(attempt("a")).toBe(2);
  attempt("d");
  expect(attempt("a")).toBe(0);
});

test("tries at other accounts do not push out one that is still tried: what it has counts on", () => {
  const { attempt } = clocked(50);
  for (let i = 0; i < 100; i++) attempt("victim", `attacker ${i}`);
  for (let i = 0; i < 500; i++) {
    attempt(`invented ${i}`, `attacker ${i}`);
    expect(attempt("victim", `another ${i}`)).toBe(10);
  }
});

test("failures from other addresses make nobody wait, however many there are from one", () => {
  const { attempt } = clocked();
  for (let i = 0; i < 9; i++) attempt("a", "attacker");
  expect(attempt("a", "attacker")).toBeGreaterThan(0);
  expect(attempt("a", "owner")).toBe(0);
});

test("many addresses share a hundred failures and then six a minute; known networks and sessions notice nothing", () => {
  const { clock, attempt } = clocked();
  const tries = Array.from({ length: 500 }, (_, i) => attempt("a", `attacker ${i}`));
  expect(tries.filter((seconds) => seconds === 0)).toHaveLength(100);
  expect(attempt("a", "another")).toBe(10);
  expect(attempt("a", "owner", "from 192.0.2.0/24")).toBe(0);
  expect(attempt("a", "session 1", null)).toBe(0);
  expect(attempt("b", "attacker 1")).toBe(0);
  let admitted = 0;
  for (let second = 0; second < 600; second++) {
    clock.now += 1_000;
    for (let i = 0; i < 5; i++) admitted += Number(attempt("a", `more ${second} ${i}`) === 0);
  }
  expect(admitted).toBe(60);
});

test("tries that succeed or were not looked at take nothing of what is shared", () => {
  const { throttle, attempt } = clocked();
  for (let i = 0; i < 300; i++) {
    const from = `address ${i}`;
    expect(attempt("a", from)).toBe(0);
    const tried = { account: "a", from, group: "strangers" };
    if (i % 2 === 0) throttle.succeeded(tried);
    else throttle.undo(tried);
  }
});

test("a session that guesses waits like an address", () => {
  const { attempt } = clocked();
  const tries = Array.from({ length: 7 }, () => attempt("a", "session 1", null));
  expect(tries).toEqual([0, 0, 0, 0, 0, 2, 2]);
});
