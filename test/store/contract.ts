import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Store, StoreUnavailable } from "../../server/core/store.ts";

/** What a test makes a store from. `sql` runs a statement on the database from outside. */
interface StoreUnderTest {
  store: Store;
  sql(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** The behaviour that every adapter of the port has to share. */
export function storeContract(open: () => Promise<StoreUnderTest>) {
  let underTest: StoreUnderTest;
  let store: Store;
  beforeEach(async () => {
    underTest = await open();
    store = underTest.store;
  });
  afterEach(() => underTest.remove());

  const put = (name: string, value = "v") =>
    store.write(function* (tx) {
      yield* tx.run("insert into setting (name, value) values ($1, $2)", [name, value]);
      return name;
    });
  const names = async () =>
    (await store.all<{ name: string }>("select name from setting order by name")).map(({ name }) => name);

  test("a write resolves with what it returns and is there for every read after", async () => {
    expect(await put("a")).toBe("a");
    expect(await names()).toEqual(["a"]);
    expect(await store.one("select value from setting where name = $1", ["a"])).toEqual({ value: "v" });
    expect(await store.one("select value from setting where name = $1", ["b"])).toBeUndefined();
  });

  test("parameters are numbered, whatever their order and however often they stand", async () => {
    const row = await store.one<{ a: string; b: string; c: string }>(
      "select cast($2 as text) as a, cast($1 as text) as b, cast($2 as text) as c",
      ["one", "two"],
    );
    expect(row).toEqual({ a: "two", b: "one", c: "two" });
  });

  test("a write reads what it wrote", async () => {
    const seen = await store.write(function* (tx) {
      yield* tx.run("insert into setting (name, value) values ($1, $2)", ["a", "v"]);
      return (yield* tx.all("select name from setting")).length;
    });
    expect(seen).toBe(1);
  });

  test("a row whose key is looked up sees the rows that the same write has inserted", async () => {
    await store.write(function* (tx) {
      for (const value of ["a", "b", "c"]) {
        yield* tx.run("insert into setting (name, value) values ((select 'n' || count(*) from setting), $1)", [value]);
      }
    });
    expect(await names()).toEqual(["n0", "n1", "n2"]);
  });

  test("writes of one turn run one after the other, each seeing the whole of those before", async () => {
    const count = () =>
      store.write(function* (tx) {
        const before = (yield* tx.all("select name from setting")).length;
        yield* tx.run("insert into setting (name, value) values ($1, $2)", [`a${before}`, "v"]);
        yield* tx.run("insert into setting (name, value) values ($1, $2)", [`b${before}`, "v"]);
        return before;
      });
    expect(await Promise.all(Array.from({ length: 20 }, count))).toEqual(Array.from({ length: 20 }, (_, i) => 2 * i));
  });

  test("what a refused write did is undone, and nothing of its neighbours", async () => {
    const refused = store.write(function* (tx) {
      yield* tx.run("insert into setting (name, value) values ($1, $2)", ["refused", "v"]);
      throw new Error("no");
    });
    const outcomes = await Promise.allSettled([put("a"), refused, put("b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await names()).toEqual(["a", "b"]);
  });

  test("a constraint that is hit concerns that write alone", async () => {
    const outcomes = await Promise.allSettled([put("a"), put("a"), put("b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await names()).toEqual(["a", "b"]);
  });

  test("what the error of a constraint tells the log, has no value of the row", async () => {
    const insert =
      "insert into member (id, name, email, role, created_at) values ($1, $2, 'ada@example.org', 'admin', 0)";
    const inserting = (name: string | null) =>
      store.write((tx) => tx.run(insert, ["private id", name])).catch((error: unknown) => error);
    await inserting("Ada");
    for (const error of [await inserting("Ada"), await inserting(null)]) {
      expect(error).toBeInstanceOf(Error);
      expect(JSON.stringify(Object.getOwnPropertyDescriptors(error))).not.toMatch(/private|ada@/);
    }
  });

  test("a statement that fails by itself concerns its write alone, and is no trouble of storage", async () => {
    const writing = (name: string) =>
      store.write(function* (tx) {
        yield* tx.run("insert into setting (name, value) values ($1, '-9223372036854775808')", [name]);
        // The number is beyond the largest integer.
        yield* tx.run("update setting set value = cast(abs(cast(value as bigint)) as text) where name = $1", [name]);
      });
    const faulty = [writing("c"), writing("d")];
    const outcomes = await Promise.allSettled([put("a"), ...faulty, put("b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    for (const one of faulty) await expect(one).rejects.not.toBeInstanceOf(StoreUnavailable);
    expect(await names()).toEqual(["a", "b"]);
    expect(store.trouble()).toBeUndefined();
  });

  test("any mixture of refusals, before and after changes, keeps exactly the writes that resolved", async () => {
    const writes = Array.from({ length: 300 }, (_, i) => {
      const kind = Math.floor(Math.random() * 4);
      return store.write(function* (tx) {
        if (kind === 1) throw new Error("before any change");
        yield* tx.run("insert into setting (name, value) values ($1, $2)", [`n${i}`, "v"]);
        if (kind === 2) throw new Error("after a change");
        if (kind === 3) yield* tx.run("insert into setting (name, value) values ($1, $2)", [`n${i}`, "again"]);
        return `n${i}`;
      });
    });
    const outcomes = await Promise.allSettled(writes);
    const kept = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(await names()).toEqual(kept.sort());
  });

  test("a generator never goes on after a failed statement", async () => {
    let wentOn = false;
    const failing = store.write(function* (tx) {
      try {
        yield* tx.run("insert into setting (name, value) values ($1, null)", ["a"]);
      } catch {
        wentOn = true;
      }
    });
    await expect(failing).rejects.toThrow();
    expect(wentOn).toBe(false);
  });

  test("no read sees what is not committed", async () => {
    const refused = store.write(function* (tx) {
      yield* tx.run("insert into setting (name, value) values ($1, $2)", ["refused", "v"]);
      yield* tx.all("select name from setting");
      throw new Error("no");
    });
    const seen = await Promise.all(Array.from({ length: 10 }, names));
    await expect(refused).rejects.toThrow("no");
    expect([...seen.flat(), ...(await names())]).toEqual([]);
  });

  describe("a shared read", () => {
    const settingOf = (name: string) =>
      store.write((tx) =>
        tx.shared(`value ${name}`, function* (read) {
          return (yield* read.one<{ value: string }>("select value from setting where name = $1", [name]))?.value;
        }),
      );
    const outside = async (name: string) => {
      const one = await store.sharedOne<{ value: string }>("select value from setting where name = $1", [name]);
      const all = await store.sharedAll<{ name: string; value: string }>("select name, value from setting");
      expect(all.find((row) => row.name === name)?.value).toBe(one?.value);
      return one?.value;
    };
    const set = (name: string, value: string) =>
      store.write((tx) => tx.run("update setting set value = $2 where name = $1", [name, value]));

    test("runs once for many writes while nothing changes", async () => {
      await put("a", "1");
      let runs = 0;
      const shared = () =>
        store.write(
          (tx) =>
            tx.shared("counted", function* (read) {
              runs++;
              return (yield* read.all("select name from setting")).length;
            }),
          { isolation: "group" },
        );
      expect(await Promise.all([shared(), shared(), shared()])).toEqual([1, 1, 1]);
      expect(await shared()).toBe(1);
      expect(runs).toBeLessThan(4);
    });

    test("is never older than a change, whoever comes first in a group", async () => {
      await put("a", "0");
      for (let i = 1; i <= 20; i++) {
        const before = settingOf("a");
        const writing = set("a", String(i));
        const after = settingOf("a");
        expect(await Promise.all([before, after, writing])).toEqual([String(i - 1), String(i), undefined]);
        expect(await outside("a")).toBe(String(i));
      }
    });

    test("finds a row that is made later, and misses one that is gone", async () => {
      expect([await settingOf("a"), await outside("a")]).toEqual([undefined, undefined]);
      await put("a", "1");
      expect([await settingOf("a"), await outside("a")]).toEqual(["1", "1"]);
      await store.write((tx) => tx.run("delete from setting where name = $1", ["a"]));
      expect([await settingOf("a"), await outside("a")]).toEqual([undefined, undefined]);
    });

    test("does not keep what a refused write has changed", async () => {
      await put("a", "before");
      const refused = store.write(function* (tx) {
        yield* tx.run("update setting set value = 'refused'");
        const seen = yield* tx.shared("value a", function* (read) {
          return (yield* read.one<{ value: string }>("select value from setting where name = 'a'"))?.value;
        });
        throw new Error(seen);
      });
      await expect(refused).rejects.toThrow("refused");
      expect([await settingOf("a"), await outside("a")]).toEqual(["before", "before"]);
    });

    test("notices what another process changes", async () => {
      await put("a", "0");
      for (let i = 1; i <= 5; i++) {
        expect(await settingOf("a")).toBe(String(i - 1));
        await underTest.sql(`update setting set value = '${i}' where name = 'a'`);
        expect(await settingOf("a")).toBe(String(i));
        expect(await outside("a")).toBe(String(i));
      }
    });

    test("notices a change by way of a foreign key", async () => {
      await store.write(function* (tx) {
        yield* tx.run("insert into member (id, name, role, created_at) values ('m', 'M', 'member', 0)");
        yield* tx.run("insert into invitation (hash, member_id, created_at, expires_at) values ('h', 'm', 0, 0)");
      });
      const invitations = () =>
        store.write((tx) =>
          tx.shared("invitations", function* (read) {
            return (yield* read.all("select hash from invitation")).length;
          }),
        );
      expect(await invitations()).toBe(1);
      await store.write((tx) => tx.run("delete from member where id = 'm'"));
      expect(await invitations()).toBe(0);
    });

    test("notices that a table was emptied", async () => {
      await put("a", "1");
      expect(await settingOf("a")).toBe("1");
      await store.write((tx) => tx.run("delete from setting"));
      expect([await settingOf("a"), await outside("a")]).toEqual([undefined, undefined]);
    });

    test("that throws is not kept, and concerns its write alone", async () => {
      const failing = () =>
        store.write((tx) =>
          tx.shared("failing", function* () {
            throw new Error("no");
          }),
        );
      const outcomes = await Promise.allSettled([put("a"), failing(), put("b"), failing()]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
      expect(await names()).toEqual(["a", "b"]);
    });

    test("that changes something is refused", async () => {
      const changing = store.write((tx) =>
        tx.shared("changing", (read) => read.run("insert into setting (name, value) values ('a', 'v')")),
      );
      await expect(changing).rejects.toThrow("changes nothing");
      expect(await names()).toEqual([]);
    });
  });

  describe("a derived write", () => {
    const derive = (name: string, within: number) =>
      store.writeDerived(
        function* (tx) {
          yield* tx.run("insert into setting (name, value) values ($1, 'derived')", [name]);
          return name;
        },
        { within },
      );

    test("resolves with what it returns and the time it took, and is there for every read after", async () => {
      const { value, milliseconds } = await derive("a", 1_000);
      expect(value).toBe("a");
      expect(milliseconds).toBeGreaterThan(0);
      expect(await names()).toEqual(["a"]);
    });

    test("gives way to writes that were asked for after it", async () => {
      const done: string[] = [];
      const derived = derive("derived", 60_000).then(() => done.push("derived"));
      for (let i = 0; i < 50; i++) await put(`n${i}`).then(() => done.push("write"));
      await derived;
      expect(done.indexOf("derived")).toBe(50);
    });

    test("comes at its time at the latest, the most urgent first, while writes never stop", async () => {
      const done: string[] = [];
      let stopped = false;
      const writing = (async () => {
        for (let i = 0; !stopped; i++) await put(`n${i}`);
      })();
      await Promise.all([
        derive("late", 200).then(() => done.push("late")),
        derive("soon", 20).then(() => done.push("soon")),
      ]);
      stopped = true;
      await writing;
      expect(done).toEqual(["soon", "late"]);
    });

    test("that throws is undone, and concerns no other", async () => {
      const failing = store.writeDerived(
        function* (tx) {
          yield* tx.run("insert into setting (name, value) values ('no', 'v')");
          throw new Error("no");
        },
        { within: 10 },
      );
      const outcomes = await Promise.allSettled([derive("a", 10), failing, derive("b", 10), put("c")]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
      expect(await names()).toEqual(["a", "b", "c"]);
    });

    test("that waits is done before the store closes, and refused afterwards", async () => {
      const waiting = [derive("a", 60_000), derive("b", 60_000)];
      const closing = store.close();
      await expect(derive("late", 10)).rejects.toThrow(StoreUnavailable);
      expect((await Promise.all(waiting)).map(({ value }) => value)).toEqual(["a", "b"]);
      await closing;
    });
  });

  test("values come back as they went in", async () => {
    const values = ["", "ä😀", "line\nend", 0, -1.5, 2 ** 53 - 1, null, new Uint8Array([0, 255])];
    for (const value of values) {
      const row = await store.write((tx) => tx.one<{ v: never }>("select $1 as v", [value]));
      expect(row?.v as unknown).toEqual(value);
    }
  });

  test("undefined is refused instead of stored as null", async () => {
    await expect(store.all("select $1 as v", [undefined as never])).rejects.toThrow("undefined");
  });

  test("close finishes what waits and refuses what comes later", async () => {
    const waiting = Array.from({ length: 10 }, (_, i) => put(`n${i}`));
    const closing = store.close();
    await expect(put("late")).rejects.toThrow(StoreUnavailable);
    expect(await Promise.all(waiting)).toHaveLength(10);
    await closing;
  });
}
