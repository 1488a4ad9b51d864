import { limits } from "../../openapi/schema/limits.ts";
import { releaseRunsStep } from "../agents/release-runs.ts";
import type { Cutoff } from "../core/cutoff.ts";
import { Periodic } from "../core/periodic.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import type { DeleteTools } from "../ingest/delete-events.ts";
import { opDays } from "../tickets/idempotent-op.ts";
import { type EmptyTools, removeBoard } from "./delete-board.ts";
import { removeProject } from "./delete-project.ts";

const lookMilliseconds = 5_000;
const dayMilliseconds = 86_400_000;
/** A pause between two steps, in which other writes have their turn. */
const pauseMilliseconds = 5;
const chunk = 100;

/**
 * Removes in the background what people have deleted on a page: boards and projects within seconds, cards and comments
 * once the time in which they can be restored is over.
 */
export class DeletedPurge {
  readonly #tools: DeleteTools & EmptyTools & { cutoff: Cutoff };
  readonly #sweeping = new Periodic({
    turn: () => this.sweep(),
    every: lookMilliseconds,
    failed: "what was deleted could not be removed and will be tried again",
  });

  constructor(tools: DeleteTools & EmptyTools & { cutoff: Cutoff }) {
    this.#tools = tools;
  }

  start() {
    this.#sweeping.start();
  }

  stop(): Promise<void> {
    return this.#sweeping.stop();
  }

  /** Removes everything that is due, once. */
  async sweep(): Promise<void> {
    const { store, now: clock, cutoff, newId } = this.#tools;
    for (const { id } of await store.all<{ id: string }>("select id from project where deleted_at is not null")) {
      if (!this.#sweeping.stopped) await removeProject(this.#tools, id);
    }
    for (const { id } of await store.all<{ id: string }>("select id from board where deleted_at is not null")) {
      if (!this.#sweeping.stopped) await removeBoard(this.#tools, id);
    }
    const now = clock();
    const deletedBefore = cutoff(limits.restoreDays * dayMilliseconds);
    await this.#repeat(function* (tx) {
      yield* releaseRunsStep(tx, { tickets: "t.deleted_at <= $1", values: [deletedBefore] }, { now, newId });
      return yield* tx.all(
        `delete from ticket where id in (select id from ticket where deleted_at <= $1 limit ${chunk}) returning id`,
        [deletedBefore],
      );
    });
    await this.#repeat((tx) =>
      tx.all(
        `delete from deleted_comment where (ticket_id, number) in
           (select ticket_id, number from deleted_comment where deleted_at <= $1 limit ${chunk}) returning number`,
        [deletedBefore],
      ),
    );
    await this.#repeat((tx) =>
      tx.all(`delete from card_op where op in (select op from card_op where at <= $1 limit ${chunk}) returning op`, [
        cutoff(opDays * dayMilliseconds),
      ]),
    );
  }

  async #repeat(step: (tx: Tx) => Step<Row[]>): Promise<void> {
    while (!this.#sweeping.stopped) {
      const deleted = await this.#tools.store.write(step);
      if (deleted.length < chunk) return;
      await Bun.sleep(pauseMilliseconds);
    }
  }
}
