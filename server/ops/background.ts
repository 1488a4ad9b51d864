import type { Context } from "../access/context.ts";
import { RunKeeper } from "../agents/run-keeper.ts";
import { Upkeep } from "../boards/upkeep.ts";
import type { EnvelopeReader } from "../ingest/envelope-reader.ts";
import { Retention } from "../ingest/retention.ts";
import { ReportIndex } from "../reports/report-index.ts";
import { CardIndex } from "../search/card-index.ts";
import type { LocalFiles } from "../store/local-files.ts";

interface Work {
  start(): void | Promise<void>;
  stop(): Promise<void>;
}

/** What goes on beside the requests: ends runs and reports whose time is over, empties what was deleted, indexes. */
export class Background {
  readonly reportIndex: ReportIndex;
  readonly #all: readonly Work[];

  constructor(context: Omit<Context, "actor">, { files, reader }: { files: LocalFiles; reader: EnvelopeReader }) {
    const { store, now, newId } = context;
    this.reportIndex = new ReportIndex({ store, reader, now });
    this.#all = [
      new Retention({ store, files, reader }, now),
      new RunKeeper(context),
      new Upkeep({ store, files, reader, now, newId }),
      new CardIndex(store),
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
