import { signal } from "@preact/signals";
import type { Rail } from "../../rail.ts";
import { api, done } from "../core/api.ts";
import { useChanges } from "../core/live.ts";
import { failureOf } from "../core/load.ts";

/** Counts and the state of storage; undefined until they came. */
export const rail = signal<Rail | undefined>(undefined);

/** Counts may be late; a failed look is made again with the next change. Without a session it brings the sign-in. */
export async function loadRail() {
  try {
    rail.value = await done(api.rail.get());
  } catch (error) {
    failureOf(error);
  }
}

const pauseMilliseconds = 1_000;
let due = false;

/** Counts follow what is heard, at most once a second. */
export function useRail() {
  useChanges(["project", "board", "card", "report", "run", "subscriber", "storage", "organisation"], () => {
    if (due) return;
    due = true;
    setTimeout(() => {
      due = false;
      void loadRail();
    }, pauseMilliseconds);
  });
}
