import { expect, test } from "bun:test";
import { RateLimited } from "./rate-limited.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";

function clocked(accountsMax?: number) {
  const clock = { now: 0 };
  const throttle = new SignInThrottle({ now: () => clock.now, ...(accountsMax === undefined ? {} : { accountsMax }) });
  /** Seconds to wait, 0 when the try is taken. */
  const attempt = (account: string) => {
    try {
      throttle.begin(account);
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
  throttle.failed("a");
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
  throttle.succeeded("a");
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
