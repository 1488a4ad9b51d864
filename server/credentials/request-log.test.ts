import { expect, test } from "bun:test";
import type { Store } from "../core/store.ts";
import { RequestLog } from "./request-log.ts";

/** A store that notes how long each derived write would wait under load. */
function logInto(withins: number[]): RequestLog {
  const store: Pick<Store, "writeDerived"> = {
    writeDerived(_write, { within }) {
      withins.push(within);
      return Promise.resolve({ value: undefined as never, milliseconds: 0 });
    },
  };
  return new RequestLog(
    { store: store as Store, now: () => 0, newId: () => "id", audited: function* () {} },
    function* () {},
  );
}

const entry = { at: 0, status: 201, replayed: false, mismatch: false } as const;

test("entries of many tokens are not dropped under load: a write waits less while further ones wait behind it", async () => {
  const withins: number[] = [];
  const log = logInto(withins);
  for (let token = 0; token < 1_000; token++) log.add(`token ${token}`, entry);
  await log.flush();
  expect(withins).toHaveLength(125);
  // Entries that come during a flush are kept in memory, as many as come in some 10 s at full speed.
  expect(withins.reduce((sum, within) => sum + within, 0)).toBeLessThan(2_000);
  expect(withins.at(-1)).toBe(50);
});

test("while storage refuses, entries are kept for the next flush: a request more is no further try", async () => {
  let tries = 0;
  const store: Pick<Store, "writeDerived"> = {
    writeDerived() {
      tries++;
      return Promise.reject(new Error("refused"));
    },
  };
  const log = new RequestLog(
    { store: store as Store, now: () => 0, newId: () => "id", audited: function* () {} },
    function* () {},
  );
  for (let i = 0; i < 2_000; i++) log.add("token", entry);
  await log.flush();
  const before = tries;
  for (let i = 0; i < 2_000; i++) {
    log.add("token", entry);
    await Promise.resolve();
  }
  expect(tries).toBe(before);
  await log.flush();
  expect(tries).toBe(before + 1);
  expect(log.dropped).toBe(0);
});
