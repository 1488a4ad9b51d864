import type { Cutoff } from "../core/cutoff.ts";
import type { Store } from "../core/store.ts";

const keptMilliseconds = 30 * 86_400_000;
/** The newest mails that were sent or given up; older ones go before their time. */
const keptMax = 5_000;

/** Deletes what became of mails that are too old, or too many. */
export async function purgeMails({ store, cutoff }: { store: Store; cutoff?: Cutoff | undefined }): Promise<void> {
  if (!(await store.one("select 1 as ended from mail where state <> 'waiting' limit 1"))) return;
  const before = cutoff?.(keptMilliseconds) ?? 0;
  await store.write(function* (tx) {
    yield* tx.run("delete from mail where state <> 'waiting' and ended_at < $1", [before]);
    yield* tx.run(
      `delete from mail where state <> 'waiting' and id not in
         (select id from mail where state <> 'waiting' order by ended_at desc, id desc limit ${keptMax})`,
    );
  });
}
