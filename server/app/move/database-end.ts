import { resolve } from "node:path";
import type { KeyAnswer, Row, Value } from "../../core/store.ts";
import { countUsageChanges } from "../../ingest/count-usage-changes.ts";
import type { Files } from "../../store/files.ts";
import { findKeys, nameOfBinding } from "../../store/postgres/find-keys.ts";
import { Lane, type LaneOptions } from "../../store/postgres/lane.ts";
import { databaseStatus, type MigrationConnection, requireSchema } from "../../store/postgres/migrate.ts";
import { postgresMigrations } from "../../store/postgres/migrations/index.ts";
import { reachDatabase } from "../../store/postgres/reach-database.ts";
import { databaseNow } from "../cluster/connection.ts";
import { bucketOf, filesOf } from "../files-of.ts";
import type { MoveMark } from "../move-mark.ts";
import { movedDatabase, readDatabaseMark, writeDatabaseMark } from "../moved-database.ts";
import { migrateOnDatabase } from "../on-database.ts";
import { secretKeyFile } from "../place-variables.ts";
import { CopyWriter, readRows } from "./copy-rows.ts";
import type { MoveSource, MoveTarget, Rehearsal } from "./ends.ts";
import { MoveRefused } from "./move-refused.ts";
import type { MovedTable } from "./moved-tables.ts";

/** A process without a heartbeat for so long has ended. */
const deadMilliseconds = 10_000;
/** Tables that only servers fill, which have to be empty in a target too. */
const derivedTables = ["card_text", "report_number"];
/**
 * Rows take as long as they take. They may have to wait for the session of a run that was killed, which PostgreSQL ends
 * once it has worked through what it was sent.
 */
const withoutTimeouts =
  "set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local synchronous_commit = on";
/** A look for each referred row, planned when PostgreSQL takes the table for empty, would go through all of it. */
const toCopy = `${withoutTimeouts}; set local enable_seqscan = off`;
/** Rows are read in the same order each time. */
const steadyOrder = "set local synchronize_seqscans = off; set local max_parallel_workers_per_gather = 0";

/** A PostgreSQL database with its bucket as an end of a move. */
export class DatabaseEnd implements MoveSource, MoveTarget {
  readonly words: string;
  readonly secretKey: string;
  readonly #url: string;
  readonly #options: LaneOptions;
  readonly #folder: string;
  #files: Files | undefined;
  readonly #lane: Lane;
  readonly #copy: CopyWriter;
  /**
   * Tables that PostgreSQL knows to have rows. Where it cleared up after a run that was killed it takes them for empty,
   * and each row that refers to one of theirs would be checked by whichever index comes last, read from end to end.
   */
  readonly #analysed = new Set<string>();
  /** Holds the locks of a source. */
  #freezing: Lane | undefined;

  /** `folder` is this machine's data directory, for files that are on their way and for the sealing key. */
  static async open(url: string, folder: string): Promise<DatabaseEnd> {
    const { options } = await reachDatabase(url);
    return new DatabaseEnd(url, resolve(folder), { options, lane: await Lane.open(options) });
  }

  private constructor(url: string, folder: string, { options, lane }: { options: LaneOptions; lane: Lane }) {
    const { hostname, port, database } = options;
    const address = bucketOf();
    if (!address) {
      throw new MoveRefused("INTAKE_FILES is not set: it names the bucket of the attachments, s3://BUCKET/PREFIX");
    }
    this.words = `the database postgres://${hostname}:${port}/${database} with s3://${address.bucket}/${address.prefix}`;
    this.#folder = folder;
    this.secretKey = secretKeyFile(folder);
    this.#url = url;
    this.#options = options;
    this.#lane = lane;
    this.#copy = new CopyWriter(lane, toCopy);
  }

  get files(): Files {
    this.#files ??= filesOf(this.#folder);
    return this.#files;
  }

  async mark(): Promise<MoveMark | undefined> {
    return readDatabaseMark(this.#connection);
  }

  async setMark(mark: MoveMark): Promise<void> {
    await writeDatabaseMark(this.#connection, mark);
  }

  refusal(mark: MoveMark): Error {
    return movedDatabase(mark);
  }

  async user(): Promise<string | undefined> {
    const [made] = await this.all("select 1 as made where to_regclass('process') is not null");
    if (!made) return undefined;
    const [live] = await this.all<{ url: string }>(
      `select url from process where seen_at > ${databaseNow} - ${deadMilliseconds} order by seen_at desc limit 1`,
    );
    return live && `the server at ${live.url}`;
  }

  async requireSchema(): Promise<void> {
    await requireSchema(this.#connection, postgresMigrations);
    const { current, newest } = await databaseStatus(this.#connection, postgresMigrations);
    if (current > newest) {
      throw new MoveRefused(
        `the database has schema ${current}, this binary knows up to ${newest}; use a newer intake`,
      );
    }
  }

  async freeze(tables: readonly MovedTable[]): Promise<void> {
    // What servers have left of these counts stands in a table that SQLite has not.
    while (((await this.all<{ count: number }>(countUsageChanges))[0]?.count ?? 0) > 0) {}
    this.#freezing ??= await Lane.open(this.#options);
    await this.#freezing.begin();
    await this.#freezing.query(withoutTimeouts);
    await this.#freezing.query("set local lock_timeout = '10s'");
    await this.#freezing.query(`lock table ${tables.map(({ name }) => name).join(", ")} in share mode`);
  }

  async prepare(): Promise<void> {
    // Without a mark nothing was moved yet: an earlier run may have been killed while it made the tables.
    if (!(await this.mark())) await migrateOnDatabase(this.#url, () => {}, { contract: true });
    await this.requireSchema();
    await this.all("create table if not exists moving_table (name text primary key, rows double precision not null)");
    // What a killed run has sent may be committed still: then it holds a lock, and is waited for.
    await this.#inTransaction(() => this.all("lock table moving_table in access exclusive mode"));
  }

  async content(tables: readonly MovedTable[]): Promise<string | undefined> {
    for (const name of [...tables.map(({ name }) => name), ...derivedTables]) {
      // An earlier run may have been killed after it had made some of the tables.
      if ((await this.all("select 1 as made where to_regclass($1) is not null", [name])).length === 0) continue;
      const [row] = await this.all(`select 1 as one from ${name} limit 1`);
      if (row) return `rows of ${name}`;
    }
    for await (const ids of this.files.keptBefore(Number.MAX_SAFE_INTEGER)) {
      if (ids.length > 0) return "attachments in the bucket";
    }
    return undefined;
  }

  async all<R extends Row>(sql: string, params: readonly Value[] = []): Promise<R[]> {
    return (await this.#lane.query(sql, params)).rows as R[];
  }

  async count({ name }: MovedTable): Promise<number> {
    const rows = await this.#inTransaction(() => this.all<{ count: number }>(`select count(*) as count from ${name}`));
    return rows[0]?.count ?? 0;
  }

  async *read(table: MovedTable): AsyncGenerator<Uint8Array> {
    await this.#lane.begin();
    await this.#lane.query(`${withoutTimeouts}; ${steadyOrder}`);
    yield* readRows(this.#lane, table);
    await this.#lane.query("commit");
  }

  async someKeys(count: number): Promise<Uint8Array[]> {
    const rows = await this.#inTransaction(() =>
      this.all<{ binding: Uint8Array }>(`select binding from idempotency order by random() limit ${count}`),
    );
    return rows.map(({ binding }) => binding);
  }

  async findKeys(bindings: readonly Uint8Array[]): Promise<(KeyAnswer | undefined)[]> {
    const query = async (...asked: Parameters<Lane["query"]>) => (await this.#lane.query(...asked)).rows;
    const { answers: found } = await findKeys(query, bindings);
    return bindings.map((binding) => found.get(nameOfBinding(binding)));
  }

  async progress(): Promise<Map<string, number>> {
    const rows = await this.all<{ name: string; rows: number }>("select name, rows from moving_table");
    return new Map(rows.map(({ name, rows }) => [name, rows]));
  }

  async movedFiles(count: number): Promise<void> {
    await this.#note("files", count);
  }

  async write(table: MovedTable, lines: Uint8Array): Promise<void> {
    await this.#copy.write(table, lines);
  }

  async commit({ name }: MovedTable, rows: number): Promise<void> {
    await this.#copy.end();
    if (!this.#analysed.has(name)) {
      await this.all(`analyze ${name}`);
      this.#analysed.add(name);
    }
    await this.#note(name, rows);
    if (this.#copy.inTransaction) await this.#copy.commit();
  }

  async rehearsal(): Promise<Rehearsal> {
    const lane = await Lane.open(this.#options);
    const copy = new CopyWriter(lane, toCopy);
    await copy.begin();
    const [made] = (await lane.query("select 1 as made where to_regclass('organisation') is not null")).rows;
    if (!made) for (const { sql } of postgresMigrations) await lane.query(sql);
    return {
      files: this.files,
      write: (table, lines) => copy.write(table, lines),
      commit: () => copy.end(),
      // Ends the transaction, of which nothing stays.
      close: async () => lane.close(),
    };
  }

  /** Of a table without rows PostgreSQL had better not know: it would plan as if it stayed empty. */
  async settle(): Promise<void> {
    const filled = await this.all<{ name: string }>("select name from moving_table where rows > 0 and name <> 'files'");
    await this.#inTransaction(() => this.all(`analyze ${filled.map(({ name }) => name).join(", ")}`));
  }

  async release(): Promise<void> {
    await this.#lane.query("drop table if exists moving_table, moving_mark");
  }

  async close(): Promise<void> {
    this.#freezing?.close();
    this.#lane.close();
  }

  get #connection(): MigrationConnection {
    return { run: (sql, params) => this.all(sql, params) };
  }

  async #note(name: string, rows: number): Promise<void> {
    await this.all(
      "insert into moving_table (name, rows) values ($1, $2) on conflict (name) do update set rows = excluded.rows",
      [name, rows],
    );
  }

  async #inTransaction<T>(work: () => Promise<T>): Promise<T> {
    await this.#lane.begin();
    await this.#lane.query(withoutTimeouts);
    const result = await work();
    await this.#lane.commit();
    return result;
  }
}
