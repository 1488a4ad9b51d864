import { useEffect, useRef, useState } from "preact/hooks";
import { api, type CallFailed, done } from "../../core/api.ts";
import { useChanges } from "../../core/live.ts";
import { failureOf } from "../../core/load.ts";
import { LogLines } from "./log-lines.ts";

interface RunLog {
  lines: LogLines;
  loaded: boolean;
  failed: CallFailed | undefined;
  again: () => void;
}

const pauseMilliseconds = 250;

/** Loads the log of a run and follows it: each request fetches only what was added. */
export function useLog(id: string): RunLog {
  const [, redraw] = useState(0);
  const reader = useRef<Reader | undefined>(undefined);
  if (reader.current?.id !== id) {
    reader.current?.stop();
    reader.current = new Reader(id, () => redraw((count) => count + 1));
  }
  const { current } = reader;
  useEffect(() => {
    current.refresh();
    return () => current.stop();
  }, [current]);
  useChanges(["run"], (changes) => {
    if (changes === "resync" || changes.some((change) => change.id === id)) current.refresh();
  });
  return { lines: current.lines, loaded: current.loaded, failed: current.failed, again: () => current.refresh() };
}

class Reader {
  readonly id: string;
  readonly lines = new LogLines();
  loaded = false;
  failed: CallFailed | undefined;
  readonly #changed: () => void;
  #after = 0;
  #attempt: number | undefined;
  #busy = false;
  #missed = false;
  #stopped = false;

  constructor(id: string, changed: () => void) {
    this.id = id;
    this.#changed = changed;
  }

  stop() {
    this.#stopped = true;
  }

  /** Fetches what was added. One request at a time, at most four a second; a call meanwhile leads to one more. */
  refresh() {
    this.#stopped = false;
    this.#missed = true;
    if (this.#busy) return;
    this.#busy = true;
    void this.#read();
  }

  async #read() {
    while (this.#missed && !this.#stopped) {
      this.#missed = false;
      try {
        while (await this.#page());
        this.failed = undefined;
      } catch (error) {
        this.failed = failureOf(error);
      }
      this.loaded = true;
      if (!this.#stopped) this.#changed();
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
    this.#busy = false;
  }

  async #page(): Promise<boolean> {
    const { items, next } = await done(api.runs({ id: this.id }).log.get({ query: { after: String(this.#after) } }));
    for (const { number, attempt, text } of items) {
      if (this.#attempt !== undefined && attempt !== this.#attempt) this.lines.mark(`— attempt ${attempt} —`);
      this.#attempt = attempt;
      this.#after = number;
      this.lines.append(text);
    }
    return next !== null && !this.#stopped;
  }
}
