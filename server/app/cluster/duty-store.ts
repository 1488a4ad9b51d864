import {
  type Row,
  type Sql,
  type Step,
  type Store,
  StoreUnavailable,
  type Tx,
  type Write,
  type WriteOptions,
} from "../../core/store.ts";

/**
 * The store for work that a process does while it has a duty. Each write first looks, in its transaction, whether the
 * duty is still this process's: a process that was paused for longer than its lease goes on in the middle of a turn, with
 * what it read before the pause, while another one has the duty.
 */
export class DutyStore implements Store {
  readonly engine;
  readonly #store: Store;
  readonly #duty: string;
  readonly #holder: string;

  constructor(store: Store, duty: string, holder: string) {
    this.engine = store.engine;
    this.#store = store;
    this.#duty = duty;
    this.#holder = holder;
  }

  all<R extends Row>(sql: Sql, params?: Parameters<Store["all"]>[1]): Promise<R[]> {
    return this.#store.all<R>(sql, params);
  }

  one<R extends Row>(sql: Sql, params?: Parameters<Store["one"]>[1]): Promise<R | undefined> {
    return this.#store.one<R>(sql, params);
  }

  sharedOne<R extends Row>(sql: Sql, params: Parameters<Store["sharedOne"]>[1]): R | Promise<R | undefined> {
    return this.#store.sharedOne<R>(sql, params);
  }

  sharedAll<R extends Row>(sql: Sql, params?: Parameters<Store["sharedAll"]>[1]) {
    return this.#store.sharedAll<R>(sql, params);
  }

  findKey(binding: Uint8Array) {
    return this.#store.findKey(binding);
  }

  write<T>(write: Write<T>, options?: WriteOptions<T>): Promise<T> {
    return this.#store.write(this.#guarded(write), options);
  }

  writeDerived<T>(write: Write<T>, options: { within: number }): Promise<{ value: T; milliseconds: number }> {
    return this.#store.writeDerived(this.#guarded(write), options);
  }

  trouble(): string | undefined {
    return this.#store.trouble();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #guarded<T>(write: Write<T>): Write<T> {
    const params = [this.#duty, this.#holder];
    return function* (tx: Tx): Step<T> {
      const held = yield* tx.one(selectHeld, params);
      if (!held) throw new StoreUnavailable("another process has this work now");
      return yield* write(tx);
    };
  }
}

const selectHeld = "select 1 as held from duty where name = $1 and holder = $2";
