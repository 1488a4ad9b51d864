import type { FolderTarget } from "../../server/backup/folder-target.ts";
import { SegmentShipper } from "../../server/backup/ship-segments.ts";
import { holdLog } from "../../server/store/hold-log.ts";
import type { LogEvent } from "../../server/store/log-events.ts";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { spoolFolder } from "../../server/store/spool-folder.ts";
import { SqliteStore } from "../../server/store/sqlite.ts";
import { until } from "../support/until.ts";

/** Milliseconds that a segment covers in these tests. */
const every = 100;

/** The store of a server that keeps its log, without the server. */
export class KeptLog {
  readonly folder: string;
  readonly store: SqliteStore;
  readonly events: LogEvent[] = [];
  /** When each write was answered, by its key, and when it was begun. */
  readonly answered: Map<string, { begun: number; answered: number }>;

  private constructor(folder: string, answered: KeptLog["answered"], bytesMax: number) {
    this.folder = folder;
    this.answered = answered;
    const held = holdLog(folder);
    migrate(folder, migrations);
    this.store = new SqliteStore(databasePath(folder), {
      busyMs: 0,
      checkpoints: true,
      onFatal: (error) => {
        throw error;
      },
      onLog: (event) => {
        this.events.push(event);
        held?.release();
      },
    });
    this.store.keepLog({ folder: spoolFolder(folder), every, bytesMax });
  }

  static async open(
    folder: string,
    answered: KeptLog["answered"] = new Map(),
    { bytesMax = 2 ** 30 } = {},
  ): Promise<KeptLog> {
    const kept = new KeptLog(folder, answered, bytesMax);
    await until(() => kept.begun);
    return kept;
  }

  get begun() {
    return this.events.findLast((event) => event.keptLog === "begun");
  }

  cuts() {
    return this.events.filter((event) => event.keptLog === "cut");
  }

  /** Stores rows of so many bytes, several at a time; replaces one of ten. */
  async write(count: number, bytes = 2_000): Promise<void> {
    for (let done = 0; done < count; done += 4) {
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          const key = crypto.randomUUID();
          const begun = Date.now();
          const value = Buffer.alloc(Math.ceil(Math.random() * bytes), key).toString();
          await this.store.write((tx) => tx.run("insert into setting (name, value) values ($1, $2)", [key, value]));
          this.answered.set(key, { begun, answered: Date.now() });
        }),
      );
    }
  }

  /** Waits for a segment that has everything that was written until now. */
  async even(): Promise<void> {
    const now = Date.now();
    await until(() => {
      const last = this.events.at(-1);
      const at = last?.keptLog === "even" ? last.at : last?.keptLog === "cut" ? last.end : 0;
      return at > now || undefined;
    });
  }

  async ship(target: FolderTarget): Promise<number> {
    const shipper = new SegmentShipper(this.folder, target);
    let count = 0;
    while (await shipper.next()) count++;
    return count;
  }
}
