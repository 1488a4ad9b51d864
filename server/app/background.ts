import { RunReaper } from "../agents/run-reaper.ts";
import { DeletedPurge } from "../boards/purge-deleted.ts";
import type { Context } from "../core/context.ts";
import type { Cutoff } from "../core/cutoff.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { Retention } from "../ingest/retention.ts";
import { ReportIndex } from "../reports/report-index.ts";
import type { LocalFiles } from "../store/local-files.ts";
import { CardIndex } from "../tickets/card-index.ts";

interface Work {
  start(): void | Promise<void>;
  stop(): Promise<void>;
}

/** What goes on beside the requests: ends runs and reports whose time is over, empties what was deleted, indexes. */
export class Background {
  readonly reportIndex: ReportIndex;
  readonly cardIndex: CardIndex;
  readonly #all: readonly Work[];

  constructor(
    context: Omit<Context, "actor"> & { cutoff: Cutoff },
    { files, reader }: { files: LocalFiles; reader: EnvelopeReader },
  ) {
    const { store, now, cutoff, newId } = context;
    this.reportIndex = new ReportIndex({ store, reader, now });
    this.cardIndex = new CardIndex(store);
    this.#all = [
      new Retention({ store, files, reader }, { now, cutoff }),
      new RunReaper(context),
      new DeletedPurge({ store, files, reader, now, cutoff, newId }),
      this.cardIndex,
      this.reportIndex,
    ];
  }

  async start(): Promise<void> {
    for (const work of this.#all) await work.start();
  }

  async stop(): Promise<void> {
    for (const work of this.#all) await work.stop();
  }
}
