import type { Lane } from "../../store/postgres/lane.ts";
import { columnNames, type MovedTable } from "./moved-tables.ts";

const lineEnd = 10;

/** All rows of a table as whole lines, in a transaction that has begun. */
export async function* readRows(lane: Lane, table: MovedTable): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array[] = [];
  for await (const chunk of lane.copyOut(`copy (select ${columnNames(table)} from ${table.name}) to stdout`)) {
    const end = chunk.lastIndexOf(lineEnd) + 1;
    if (end > 0) yield Buffer.concat([...rest, chunk.subarray(0, end)]);
    if (end > 0) rest = [];
    if (end < chunk.length) rest.push(chunk.subarray(end));
  }
}

/** Sends rows by COPY, in a transaction that begins with the first row after a commit. */
export class CopyWriter {
  readonly #lane: Lane;
  readonly #settings: string;
  #copying: { table: MovedTable; writer: ReturnType<Lane["copyIn"]> } | undefined;
  inTransaction = false;

  constructor(lane: Lane, settings: string) {
    this.#lane = lane;
    this.#settings = settings;
  }

  async begin(): Promise<void> {
    await this.#lane.begin();
    await this.#lane.query(this.#settings);
    this.inTransaction = true;
  }

  async write(table: MovedTable, lines: Uint8Array): Promise<void> {
    if (!this.inTransaction) await this.begin();
    if (this.#copying?.table !== table) {
      await this.end();
      const writer = this.#lane.copyIn(`copy ${table.name} (${columnNames(table)}) from stdin`);
      this.#copying = { table, writer };
    }
    await this.#copying.writer.write(lines);
  }

  /** Resolves when PostgreSQL has taken all rows, and rejects when it refused one. */
  async end(): Promise<void> {
    await this.#copying?.writer.close();
    this.#copying = undefined;
  }

  async commit(): Promise<void> {
    await this.#lane.commit();
    this.inTransaction = false;
  }
}
