import { signal } from "@preact/signals";
import type { Rail } from "../../rail.ts";
import { api, done } from "../core/api.ts";
import { useFacts } from "../core/live.ts";

/** Counts and the state of storage; undefined until they came. */
export const rail = signal<Rail | undefined>(undefined);

/** Counts may be late; a failed look is made again with the next fact. */
export async function loadRail() {
  rail.value = await done(api.rail.get()).catch(() => rail.value);
}

const pauseMilliseconds = 1_000;
let due = false;

/** Counts follow what is heard, at most once a second. */
export function useRail() {
  useFacts(["project", "board", "card", "report", "run", "subscriber", "storage", "organisation"], () => {
    if (due) return;
    due = true;
    setTimeout(() => {
      due = false;
      void loadRail();
    }, pauseMilliseconds);
  });
}
