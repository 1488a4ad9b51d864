import { join } from "node:path";
import { freshFolder } from "../scratch.ts";
import { type ServerProcess, startServer } from "../server-process.ts";

/** The last part of the addresses of those that accept everything at once. */
export const healthy = ["0", "1", "2", "3", "4"] as const;

/** Of each path, and under `repeats` what came more than once. */
type Counts = Record<string, number>;
/** Of each path the time of the first POST of each message. */
type Arrivals = Map<string, Map<string, number>>;

/** Receivers in a process of their own, so that what they cost is nobody else's. */
export class Receivers {
  readonly #url: string;
  readonly #process: ServerProcess;

  static async start(): Promise<Receivers> {
    const command = [process.execPath, join(import.meta.dir, "receiver.ts")];
    return new Receivers(await startServer(command, join(freshFolder("receiver"), "log")));
  }

  private constructor(process: ServerProcess) {
    this.#process = process;
    this.#url = process.url;
  }

  /** A new one for each path, on a port of its own. */
  async addressOf(path: string): Promise<string> {
    return (await fetch(`${this.#url}/address?of=${path}`)).text();
  }

  async counts(): Promise<Counts> {
    return (await fetch(`${this.#url}/counts`)).json() as Promise<Counts>;
  }

  async arrivals(): Promise<Arrivals> {
    const said = (await (await fetch(`${this.#url}/arrivals`)).json()) as Record<string, [string, number][]>;
    return new Map(Object.entries(said).map(([path, first]) => [path.slice(1), new Map(first)]));
  }

  /** Waits until these paths have so many first ones in all; false when they have not in time. */
  async when(paths: readonly string[], first: number, seconds: number): Promise<boolean> {
    const signal = AbortSignal.timeout(seconds * 1000);
    return fetch(`${this.#url}/when?first=${first}&on=${paths}`, { signal }).then(
      () => true,
      () => false,
    );
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}

export function sumOf(counts: Counts, paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + (counts[`/${path}`] ?? 0), 0);
}
