import { bytes } from "../../../core/format.ts";
import { bothClocks, now, span } from "../../../core/time.ts";
import { Note } from "../../../parts/note.tsx";
import { Ago } from "../../../parts/time.tsx";
import type { BackupsData } from "../backups.tsx";
import { LogTroubles, ShippedLog } from "./shipped-log.tsx";

const doings = { create: "Making a backup", prune: "Removing older backups", verify: "Reading the backup back" };

/** How the last backup went, and what is being done. */
export function BackupState({ data }: { data: BackupsData }) {
  const { to, nextAt, working, made, verified, tries, log } = data;
  // Of the server: a command by hand has told whoever typed it.
  const newest = tries.find(({ origin }) => origin !== "command");
  const next = nextAt === null ? undefined : Date.parse(nextAt) - now.value;
  return (
    <section class="stacked" aria-label="State">
      {to === null && <Note>No backups are made. Say where they go, best to another disk or a bucket.</Note>}
      {working !== null && (
        <div role="status">
          <Note tone="info">
            {doings[working.doing]}
            {working.progress && `, ${working.progress}`} …
          </Note>
        </div>
      )}
      {working === null && newest?.failure != null && (
        <Note tone="err">The last backup was not made: {newest.failure}.</Note>
      )}
      {newest?.pruneFailure != null && <Note>Older backups were not removed: {newest.pruneFailure}.</Note>}
      {made?.verifyFailure != null && (
        <Note tone="err">The last backup could not be read back: {made.verifyFailure}.</Note>
      )}
      {log !== null && <LogTroubles log={log} />}
      <dl class="facts">
        <div>
          <dt>Last backup</dt>
          <dd>{made?.asOf ? <Ago at={made.asOf} words /> : "none yet"}</dd>
        </div>
        {made && (
          <div>
            <dt>Size</dt>
            <dd class="digits">
              {bytes(made.bytes ?? 0)}, {bytes(made.addedBytes ?? 0)} of it new
            </dd>
          </div>
        )}
        <div>
          <dt>Last verified one</dt>
          <dd>{verified?.asOf ? <Ago at={verified.asOf} words /> : "none yet"}</dd>
        </div>
        {log !== null && <ShippedLog log={log} />}
        {next !== undefined && (
          <div>
            <dt>Next</dt>
            <dd title={nextAt === null ? undefined : bothClocks(nextAt)}>
              {next < 60_000 ? "now" : `in ${span(next - (next % 60_000))}`}
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
