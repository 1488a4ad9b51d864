import { Periodic } from "../../core/periodic.ts";
import { type EndUpload, tooManyUploads, type UploadLimits, type UploadPlaces, Uploads } from "../../ingest/uploads.ts";
import type { Query } from "./connection.ts";

const sweepMilliseconds = 5_000;

/**
 * Uploads at once, of a key and of an address, counted over all processes. How many there are in all is limited for each
 * process, as it guards its memory and its disk.
 */
export class SharedUploads implements UploadPlaces {
  readonly #query: Query;
  readonly #process: string;
  readonly #own = new Uploads();
  /** The ids of those that are under way here. */
  readonly #underWay = new Set<string>();
  readonly #sweeping = new Periodic({
    turn: () => this.#sweep(),
    every: sweepMilliseconds,
    failed: "places of uploads that have ended were not freed and will be again",
  });

  constructor(query: Query, process: string) {
    this.#query = query;
    this.#process = process;
  }

  start() {
    this.#sweeping.start();
  }

  stop(): Promise<void> {
    return this.#sweeping.stop();
  }

  async begin(key: string, address: string, limits: UploadLimits): Promise<EndUpload> {
    // What this process alone has too many of costs the database nothing.
    const endHere = this.#own.begin(key, address, limits);
    const id = crypto.randomUUID();
    this.#underWay.add(id);
    const end = async () => {
      endHere();
      this.#underWay.delete(id);
      // A row that stays is swept.
      await this.#query("delete from upload where id = $1", [id]).catch(() => {});
    };
    try {
      const [row] = await this.#query<{ refused: "key" | "address" | null }>(
        "select begin_upload($1, $2, $3, $4, $5, $6) as refused",
        [id, this.#process, key, address, limits.perKey, limits.perAddress],
      );
      if (row?.refused) throw tooManyUploads(row.refused);
      return end;
    } catch (error) {
      await end();
      throw error;
    }
  }

  hold(bytes: number): (() => void) | undefined {
    return this.#own.hold(bytes);
  }

  /** Removes the rows of uploads whose end could not be told, and those of processes that are gone. */
  async #sweep(): Promise<void> {
    await this.#query(
      `delete from upload u where process = $1 and not (id = any(cast($2 as text[])))
         or not exists (select 1 from process p where p.id = u.process)`,
      [this.#process, { array: [...this.#underWay], type: "TEXT" }],
    );
  }
}
