import type { Reader, Row, Step, Tx } from "../core/store.ts";

/** The last repeats of a report that are kept with it. */
const kept = 100;
const digestBytes = 32;

export interface RepeatView {
  at: string;
  /** Name of the key that sent the repeat; null when that key was deleted. */
  key: string | null;
  /** File names that the first report had and this repeat lacked. */
  lacked: string[];
}

/** Counts a repeat on its event and notes when and with which key it came. Does nothing when the event is gone. */
export function* addRepeatStep(
  tx: Tx,
  eventId: string,
  { keyId, now, attachments }: { keyId: string; now: number; attachments: Uint8Array },
): Step<void> {
  const event = yield* tx.one<{ repeat_count: number }>(
    `update event set repeat_count = repeat_count + 1, last_repeat_at = $2 where id in ($1) returning repeat_count`,
    [eventId, now],
  );
  if (!event) return;
  yield* tx.run(
    `insert into report_repeat (event_id, place, at, key_id, attachments) values ($1, $2, $3, $4, $5)
     on conflict (event_id, place) do update
       set at = excluded.at, key_id = excluded.key_id, attachments = excluded.attachments`,
    [eventId, event.repeat_count % kept, now, keyId, attachments],
  );
}

interface RepeatRow extends Row {
  at: number;
  name: string | null;
  attachments: Uint8Array;
}

/** The last repeats of an event, newest first. */
export async function repeatsOf(
  store: Reader,
  eventId: string,
  files: readonly { name: string; sha256: string | null }[],
): Promise<RepeatView[]> {
  const rows = await store.all<RepeatRow>(
    `select r.at, k.name, r.attachments from report_repeat r left join sdk_key k on k.id = r.key_id
     where r.event_id in ($1) order by r.at desc, r.place desc`,
    [eventId],
  );
  return rows.map(({ at, name, attachments }) => {
    const came = new Set(digestsIn(attachments));
    const lacked = files.filter(({ sha256 }) => sha256 !== null && !came.has(sha256));
    return { at: new Date(at).toISOString(), key: name, lacked: lacked.map((file) => file.name) };
  });
}

function digestsIn(attachments: Uint8Array): string[] {
  const hex = attachments.toHex();
  return Array.from({ length: attachments.length / digestBytes }, (_, i) => hex.slice(i * 64, (i + 1) * 64));
}
