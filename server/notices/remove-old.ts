import type { Cutoff } from "../core/cutoff.ts";
import type { Store } from "../core/store.ts";
import { tellAgainMilliseconds } from "./changes.ts";

/** Notices that are over are kept for so long, and no more than so many of all. */
const keptDays = 90;
const keptMax = 1_000;
/** Titles of fatal reports that are known of one project. */
const titlesMax = 10_000;
const dayMilliseconds = 86_400_000;

/** Removes notices that are over, once nobody could be told of them again too soon, and the oldest titles. */
export async function removeOldNotices(store: Store, { now, cutoff }: { now: number; cutoff: Cutoff }): Promise<void> {
  const over = "cleared_at is not null and (told_at is null or told_at <= $1)";
  await store.write((tx) =>
    tx.run(
      `delete from notice where ${over} and (cleared_at <= $2 or id not in (
         select id from notice order by raised_at desc, id desc limit ${keptMax}))`,
      [now - tellAgainMilliseconds, cutoff(keptDays * dayMilliseconds)],
    ),
  );
  for (const { id } of await store.all<{ id: string }>("select id from project order by id")) {
    const last = await store.one<{ at: number }>(
      `select at from fatal_title where project_id = $1 order by at desc limit 1 offset ${titlesMax}`,
      [id],
    );
    if (!last) continue;
    await store.write((tx) =>
      tx.run("delete from fatal_title where project_id = $1 and at <= $2 and noticed = 1", [id, last.at]),
    );
  }
}
