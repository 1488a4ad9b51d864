import type { Cutoff } from "../core/cutoff.ts";
import { log } from "../core/log.ts";
import { Periodic } from "../core/periodic.ts";
import type { Store } from "../core/store.ts";
import type { Files } from "../store/files.ts";
import { removeUnnamed } from "./keep-attachments.ts";

const lookMilliseconds = 5_000;
const orphanMilliseconds = 3_600_000;
/** The time of a file may lie behind the clock by a tick of the kernel. */
const clockMilliseconds = 10;
/** An upload ends within an hour at the latest, so an older file that no row names belongs to no report. */
const orphanAge = 2 * orphanMilliseconds;
/** Pause between two steps, in which other requests run. */
const pauseMilliseconds = 5;

interface FileTools {
  store: Store;
  files: Files;
}

/** Removes the drafts that an earlier process has left, and finds out whether files can be kept again after trouble. */
export class FileUpkeep {
  readonly #files: Files;
  readonly #looking = new Periodic({
    turn: () => this.#turn(),
    every: lookMilliseconds,
    failed: "unfinished uploads of an earlier process were not removed and will be tried again",
  });
  #draftsRemoved = false;

  constructor({ files }: Pick<FileTools, "files">) {
    this.#files = files;
  }

  start() {
    this.#looking.start();
    void this.#looking.wake();
  }

  stop(): Promise<void> {
    return this.#looking.stop();
  }

  async #turn(): Promise<void> {
    if (!this.#draftsRemoved) await this.#files.removeDrafts("earlier");
    this.#draftsRemoved = true;
    // Writes a file to see whether the disk works again: without attachments coming in nothing else would show it.
    if (this.#files.trouble()) await this.#files.probe();
  }
}

/** Removes files that no row names, at the start and every hour. */
export class OrphanedFiles {
  readonly #tools: FileTools;
  readonly #cutoff: Cutoff;
  readonly #madeAt: number;
  readonly #sweeping = new Periodic({
    turn: () => this.#sweep(),
    every: orphanMilliseconds,
    failed: "files that belong to no report were not removed and will be tried again",
  });
  #again = false;

  /** To be constructed before the first request: files without a row that are older were left by an earlier process. */
  constructor(tools: FileTools, { now, cutoff }: { now: () => number; cutoff: Cutoff }) {
    this.#tools = tools;
    this.#cutoff = cutoff;
    this.#madeAt = now();
  }

  start() {
    this.#sweeping.start();
    void this.#sweeping.wake();
  }

  stop(): Promise<void> {
    return this.#sweeping.stop();
  }

  async #sweep(): Promise<void> {
    const { store, files } = this.#tools;
    // Of files in a folder of this process alone, those without a row are known to be left over at once.
    const left = !this.#again && !files.shared;
    this.#again = true;
    let removed = 0;
    for await (const ids of files.keptBefore(left ? this.#madeAt - clockMilliseconds : this.#cutoff(orphanAge))) {
      if (this.#sweeping.stopped) return;
      removed += await removeUnnamed(store, files, ids);
      await Bun.sleep(pauseMilliseconds);
    }
    if (removed > 0) log.info("files that belonged to no report were removed", { removed });
  }
}
