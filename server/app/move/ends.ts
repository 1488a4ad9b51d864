import type { KeyAnswer, Row, Value } from "../../core/store.ts";
import type { Files } from "../../store/files.ts";
import type { MoveMark } from "../move-mark.ts";
import type { MovedTable } from "./moved-tables.ts";

/** One of the two places between which an installation moves: a data directory, or a database with a bucket. */
export interface MoveEnd {
  /** Names this end for people, without a password. */
  readonly words: string;
  readonly files: Files;
  /** The file with the key that secrets are sealed with. */
  readonly secretKey: string;
  mark(): Promise<MoveMark | undefined>;
  setMark(mark: MoveMark): Promise<void>;
  /** Why nothing can work with this end while it has the mark. */
  refusal(mark: MoveMark): Error;
  /** In words, who uses this end at the moment; undefined when nobody does. */
  user(): Promise<string | undefined>;
  all<R extends Row>(sql: string, params?: readonly Value[]): Promise<R[]>;
  count(table: MovedTable): Promise<number>;
  /** All rows as whole lines in the text format of COPY, in an order that stays while nobody writes. */
  read(table: MovedTable): AsyncGenerator<Uint8Array>;
  /** The bindings of some idempotency keys, chosen by chance. */
  someKeys(count: number): Promise<Uint8Array[]>;
  /** What keys were bound to, found as a server finds them. */
  findKeys(bindings: readonly Uint8Array[]): Promise<(KeyAnswer | undefined)[]>;
  close(): Promise<void>;
}

export interface MoveSource extends MoveEnd {
  /** Throws unless the schema is that of this binary. */
  requireSchema(): Promise<void>;
  /** From now on nobody else can write here, until it is closed. */
  freeze(tables: readonly MovedTable[]): Promise<void>;
}

export interface MoveTarget extends MoveEnd, RowTarget {
  /** Makes the schema where there is none; throws unless it is that of this binary. */
  prepare(): Promise<void>;
  /** What stands here already, in words; undefined when nothing does. */
  content(tables: readonly MovedTable[]): Promise<string | undefined>;
  /** The rows of each table, and the files, that were moved for good by now. */
  progress(): Promise<Map<string, number>>;
  /** Notes how many files were moved for good. */
  movedFiles(count: number): Promise<void>;
  /** A place like this one that takes rows for a trial, of which nothing is left once it is closed. */
  rehearsal(): Promise<Rehearsal>;
  /** Makes what is made from rows that were moved: indexes, statistics. May be repeated. */
  settle(): Promise<void>;
  /** Removes the mark and what else the move needed: servers may start. */
  release(): Promise<void>;
}

export interface Rehearsal extends RowTarget {
  readonly files: Files;
  close(): Promise<void>;
}

export interface RowTarget {
  /** Takes whole lines. */
  write(table: MovedTable, lines: Uint8Array): Promise<void>;
  /** Makes the rows that were written since the last commit durable, together with how many the table has now. */
  commit(table: MovedTable, rows: number): Promise<void>;
}

/** What people are told meanwhile. */
export interface Progress {
  /** A line that stays. */
  note(text: string): void;
  /** A line that the next one overwrites. */
  progress(text: string): void;
}
