import type { SetupSecrets } from "../../organisation/setup-link.ts";
import { databaseNow, type Query } from "./connection.ts";

/** The secrets that all processes have printed: each of them opens the set-up at every process. */
export class SharedSetupSecrets implements SetupSecrets {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  async add(hash: string, milliseconds: number): Promise<void> {
    await this.#query(
      `insert into setup_link (hash, until) values ($1, ${databaseNow} + $2) on conflict (hash) do nothing`,
      [hash, milliseconds],
    );
  }

  async left(): Promise<number> {
    const [row] = await this.#query<{ left: number | null }>(
      `select max(until) - ${databaseNow} as "left" from setup_link`,
    );
    return Math.max(0, row?.left ?? 0);
  }

  async has(hash: string): Promise<boolean> {
    const found = await this.#query(`select 1 as found from setup_link where hash = $1 and until > ${databaseNow}`, [
      hash,
    ]);
    return found.length > 0;
  }

  /** Removes those of killed processes too, once they have expired. */
  async remove(hash: string): Promise<void> {
    await this.#query(`delete from setup_link where hash = $1 or until <= ${databaseNow}`, [hash]).catch(() => {});
  }

  async clear(): Promise<void> {
    await this.#query("delete from setup_link").catch(() => {});
  }
}
