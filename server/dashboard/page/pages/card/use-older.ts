import { useEffect, useRef, useState } from "preact/hooks";
import type { ActivityEntry } from "../../../../activity/activity.ts";
import { api, done } from "../../core/api.ts";
import { failureOf } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import type { CardDetail } from "./use-card.ts";

/** Loads older activity of a card on demand; `more` is undefined when everything is loaded. */
export function useOlder(data: CardDetail): { items: readonly ActivityEntry[]; more: (() => void) | undefined } {
  const [older, setOlder] = useState<{ id: string; items: ActivityEntry[]; next: string | null }>();
  const mine = older?.id === data.id ? older : undefined;
  const turn = useRef(0);

  /** Loads entries older than those that came with the card, until there are `count` of them. */
  async function load(count: number) {
    const ownTurn = ++turn.current;
    const items: ActivityEntry[] = [];
    let next = data.activityNext;
    try {
      while (next !== null && items.length < count) {
        const page: { items: ActivityEntry[]; next: string | null } = await done(
          api.cards({ id: data.id }).activity.get({ query: { cursor: next } }),
        );
        items.push(...page.items);
        next = page.next;
      }
      if (ownTurn === turn.current) setOlder({ id: data.id, items, next });
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }

  // Any change of the card may have changed a comment among the older entries.
  useEffect(() => {
    if (mine) void load(mine.items.length);
  }, [data]);

  const newest = data.activity.at(-1)?.number ?? 0;
  // An entry that was new when the older ones were loaded may stand in both lists.
  const items = [...data.activity, ...(mine?.items.filter(({ number }) => number < newest) ?? [])];
  const next = mine ? mine.next : data.activityNext;
  return { items, more: next === null ? undefined : () => void load((mine?.items.length ?? 0) + 1) };
}
