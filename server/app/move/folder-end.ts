import type { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { keyPath } from "../../core/open-sealing.ts";
import type { KeyAnswer, Row, Value } from "../../core/store.ts";
import { HeldStatements } from "../../store/held-statements.ts";
import { IdempotencyKeys } from "../../store/idempotency-keys.ts";
import { LocalFiles } from "../../store/local-files.ts";
import { databasePath, migrate, requireCurrent } from "../../store/migrate.ts";
import { migrations } from "../../store/migrations/index.ts";
import { openDatabase } from "../../store/open-database.ts";
import { makeDataFolder, requireUsable } from "../data-folder.ts";
import { DataLock } from "../lock.ts";
import type { MoveMark } from "../move-mark.ts";
import { movedFolder, readFolderMark, removeFolderMark, writeFolderMark } from "../moved-folder.ts";
import type { MoveSource, MoveTarget, Rehearsal } from "./ends.ts";
import { indexMovedKeys } from "./index-moved-keys.ts";
import { MoveRefused } from "./move-refused.ts";
import type { MovedTable } from "./moved-tables.ts";
import { countRows, RowInserter, readRows } from "./sqlite-rows.ts";

/** Files that may stand in the folder that an installation moves to, whatever else their names end with. */
const ownFiles = /^(intake\.db|lock\.|moved\.json|secret\.key)/;
const ownFolders = ["uploads", "attachments"];
/** Of the log of SQLite: a checkpoint follows so many pages of it. */
const checkpointPages = 4_096;

/** A data directory as an end of a move. */
export class FolderEnd implements MoveSource, MoveTarget {
  readonly folder: string;
  readonly words: string;
  readonly secretKey: string;
  #lock: DataLock | undefined;
  #db: Database | undefined;
  #files: LocalFiles | undefined;
  #inserter: { table: MovedTable; rows: RowInserter } | undefined;

  constructor(data: string) {
    this.folder = resolve(data);
    this.words = `the data directory ${this.folder} on ${hostname()}`;
    this.secretKey = keyPath(this.folder);
  }

  get files(): LocalFiles {
    this.#files ??= new LocalFiles(this.folder);
    return this.#files;
  }

  /** Reads only, perhaps beside a server, until this end was locked. */
  get #database(): Database {
    this.#db ??= openDatabase(databasePath(this.folder), { readonly: true });
    return this.#db;
  }

  async mark(): Promise<MoveMark | undefined> {
    return readFolderMark(this.folder);
  }

  async setMark(mark: MoveMark): Promise<void> {
    writeFolderMark(this.folder, mark);
  }

  refusal(mark: MoveMark): Error {
    return movedFolder(this.folder, mark);
  }

  /** Who else uses the folder is told when it is locked. */
  async user(): Promise<undefined> {}

  async requireSchema(): Promise<void> {
    if (!existsSync(databasePath(this.folder))) throw new MoveRefused(`there is no Intake database in ${this.folder}`);
    requireUsable(this.folder);
    requireCurrent(this.folder, migrations);
  }

  async freeze(): Promise<void> {
    this.#lock ??= new DataLock(this.folder, "db move");
    this.#openToWrite().run("begin immediate");
  }

  async prepare(): Promise<void> {
    makeDataFolder(this.folder);
    this.#lock ??= new DataLock(this.folder, "db move");
    migrate(this.folder, migrations);
    this.#openToWrite().run(
      "create table if not exists moving_table (name text primary key, rows integer not null) strict",
    );
  }

  async content(tables: readonly MovedTable[]): Promise<string | undefined> {
    if (!existsSync(this.folder)) return undefined;
    for (const name of readdirSync(this.folder)) {
      if (ownFiles.test(name)) continue;
      if (!ownFolders.includes(name) || readdirSync(`${this.folder}/${name}`).length > 0) return name;
    }
    if (!existsSync(databasePath(this.folder))) return undefined;
    // A run that was killed may have left a database without a schema.
    const [made] = await this.all("select 1 as made from sqlite_schema where name = 'organisation'");
    return made && tables.find((table) => countRows(this.#database, table) > 0)?.name;
  }

  async all<R extends Row>(sql: string, params: readonly Value[] = []): Promise<R[]> {
    return this.#database.query<R, Value[]>(sql).all(...params);
  }

  async count(table: MovedTable): Promise<number> {
    return countRows(this.#database, table);
  }

  async *read(table: MovedTable): AsyncGenerator<Uint8Array> {
    yield* readRows(this.#database, table);
  }

  async someKeys(count: number): Promise<Uint8Array[]> {
    const rows = await this.all<{ binding: Uint8Array }>(
      `select binding from (select binding from idempotency union all select binding from idempotency_key)
       order by random() limit ${count}`,
    );
    return rows.map(({ binding }) => binding);
  }

  async findKeys(bindings: readonly Uint8Array[]): Promise<(KeyAnswer | undefined)[]> {
    const statements = new HeldStatements(this.#database);
    const keys = new IdempotencyKeys(statements);
    keys.begun(true);
    const found = bindings.map((binding) => keys.find(binding)[0]);
    statements.finalize();
    return found;
  }

  async progress(): Promise<Map<string, number>> {
    const rows = await this.all<{ name: string; rows: number }>("select name, rows from moving_table");
    return new Map(rows.map(({ name, rows }) => [name, rows]));
  }

  async movedFiles(count: number): Promise<void> {
    this.#note("files", count);
  }

  async write(table: MovedTable, lines: Uint8Array): Promise<void> {
    if (this.#inserter?.table !== table) {
      this.#inserter?.rows.close();
      this.#inserter = { table, rows: new RowInserter(this.#database, table) };
    }
    if (!this.#database.inTransaction) this.#database.run("begin immediate");
    this.#inserter.rows.insert(lines);
  }

  async commit({ name }: MovedTable, rows: number): Promise<void> {
    this.#note(name, rows);
    if (this.#database.inTransaction) this.#database.run("commit");
  }

  async rehearsal(): Promise<Rehearsal> {
    const trial = new FolderEnd(mkdtempSync(`${this.folder}.rehearsal-`));
    await trial.prepare();
    return {
      files: trial.files,
      write: (table, lines) => trial.write(table, lines),
      commit: (table, rows) => trial.commit(table, rows),
      async close() {
        await trial.close();
        rmSync(trial.folder, { recursive: true });
      },
    };
  }

  async settle(): Promise<void> {
    indexMovedKeys(this.#database);
  }

  async release(): Promise<void> {
    this.#database.run("drop table if exists moving_table");
    removeFolderMark(this.folder);
  }

  async close(): Promise<void> {
    this.#inserter?.rows.close();
    if (this.#db?.inTransaction) this.#db.run("rollback");
    this.#db?.close();
    this.#lock?.release();
  }

  #openToWrite(): Database {
    this.#db?.close();
    this.#db = openDatabase(databasePath(this.folder), { autocheckpoint: checkpointPages });
    return this.#db;
  }

  #note(name: string, rows: number) {
    this.#database.run(
      "insert into moving_table (name, rows) values (?1, ?2) on conflict (name) do update set rows = excluded.rows",
      [name, rows],
    );
  }
}
