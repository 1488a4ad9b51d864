import type { Write } from "../../core/store.ts";
import { diskFull } from "./errors.ts";

/** Runs a write as a transaction of its own, and resolves once it is durable. */
type Run = (write: Write<void>) => Promise<void>;

/**
 * Why nothing can be stored, while that is so. It is known from the writes that fail, and asked of the database until
 * one succeeds: without writes, nothing else would notice that storage works again.
 */
export class StoreTrouble {
  readonly #run: Run;
  /** Called with the reason when nothing can be stored, and with undefined when writes work again. */
  readonly #onChange: ((reason: string | undefined) => void) | undefined;
  #reason: string | undefined;
  #probing = false;

  constructor(run: Run, onChange: ((reason: string | undefined) => void) | undefined) {
    this.#run = run;
    this.#onChange = onChange;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  /** Takes what became of a write or a connection: why it failed, or undefined when it did not. */
  tell(reason: string | undefined) {
    // A full disk takes writes that need no more room: that one succeeds says nothing about the next.
    if (reason !== undefined || this.#reason !== diskFull) this.#change(reason);
  }

  /** Asks the database once, while there is trouble and it is not being asked. */
  probe() {
    if (this.#reason === undefined || this.#probing) return;
    this.#probing = true;
    void this.#probe(this.#reason === diskFull).finally(() => {
      this.#probing = false;
    });
  }

  async #probe(isFull: boolean): Promise<void> {
    try {
      await this.#run(isFull ? probeRoom : probeWrite);
      if (isFull) this.#change(undefined);
      else this.tell(undefined);
    } catch {
      if (isFull) await Bun.sleep(roomMilliseconds);
    }
  }

  #change(reason: string | undefined) {
    if (reason === this.#reason) return;
    this.#reason = reason;
    this.#onChange?.(reason);
  }
}

/** Between two probes for room: each leaves traces in the catalogue that have to be cleaned up. */
const roomMilliseconds = 1_000;

/**
 * Commits, and asks for what every write needs: a lock that changes rows, which a transaction that is read-only is
 * refused, and which waits while another process lets nobody write.
 */
const probeWrite: Write<void> = function* (tx) {
  yield* tx.run("update setting set value = value where name = ''");
  yield* tx.one("select pg_current_xact_id() is not null as commits");
};

/** As {@link probeWrite}, and needs room on the disk. */
const probeRoom: Write<void> = function* (tx) {
  const may = yield* tx.one("select 1 as may where has_database_privilege(current_database(), 'TEMPORARY')");
  if (may) {
    yield* tx.run(
      "create temporary table room on commit drop as select repeat('x', 1000) as x from generate_series(1, 1000)",
    );
  }
  yield* probeWrite(tx);
};
