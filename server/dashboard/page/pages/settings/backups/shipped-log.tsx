import { exact } from "../../../core/time.ts";
import { Note } from "../../../parts/note.tsx";
import { Ago } from "../../../parts/time.tsx";
import type { BackupsData } from "../backups.tsx";

type Log = NonNullable<BackupsData["log"]>;

/** What keeps moments from being restored, as long as it does. */
export function LogTroubles({ log: { stopped, failure, lostSince } }: { log: Log }) {
  return (
    <>
      {stopped !== null && (
        <Note tone="err">
          No log is kept for now: {stopped}. It goes on by itself once it can; tickets and reports are stored as ever.
        </Note>
      )}
      {failure !== null && <Note>The log could not be shipped and is tried again: {failure}.</Note>}
      {stopped === null && lostSince !== null && (
        <Note>What was stored after {exact(lostSince)} UTC can be restored once a backup is made.</Note>
      )}
    </>
  );
}

/** Up to when, and between when, moments can be restored; rows of the list of facts. */
export function ShippedLog({ log: { upTo, gaps } }: { log: Log }) {
  return (
    <>
      {upTo !== null && (
        <div>
          <dt>Shipped up to</dt>
          <dd>
            <Ago at={upTo} words />
          </dd>
        </div>
      )}
      {gaps.length > 0 && (
        <div>
          <dt>Cannot be restored</dt>
          <dd>
            {gaps.map(({ from, to }) => (
              <div key={from}>
                {exact(from)} to {exact(to)} UTC
              </div>
            ))}
          </dd>
        </div>
      )}
    </>
  );
}
