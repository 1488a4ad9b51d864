import { signal } from "@preact/signals";
import type { Rail } from "../../rail.ts";
import { api, done } from "../core/api.ts";
import { boot } from "../core/boot.ts";
import { useChanges } from "../core/live.ts";
import { failureOf } from "../core/load.ts";

/** Counts and the state of storage for the navigation; undefined until they are loaded. */
export const rail = signal<Rail | undefined>(undefined);

/** Loads the counts. After a failure the next change loads them again; without a session the sign-in is shown. */
export async function loadRail() {
  try {
    rail.value = await done(api.rail.get());
  } catch (error) {
    failureOf(error);
  }
}

const pauseMilliseconds = 1_000;
let due = false;

/** Counts follow live changes, at most once a second. */
export function useRail() {
  useChanges(
    ["project", "board", "card", "report", "run", "subscriber", "storage", "organisation", "notice", "member"],
    (changes) => {
      // Of people only oneself matters: that somebody has signed in from somewhere new.
      const own = boot.peek().member?.id;
      if (changes !== "resync" && changes.every(({ kind, id }) => kind === "member" && id !== own)) return;
      if (due) return;
      due = true;
      setTimeout(() => {
        due = false;
        void loadRail();
      }, pauseMilliseconds);
    },
  );
}
