import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { failureOf, useLoad } from "../../core/load.ts";
import { Note } from "../../parts/note.tsx";
import { Shown } from "../../parts/states.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";
import { BackupState } from "./backups/state.tsx";
import { BackupTries } from "./backups/tries.tsx";
import { SettingRow } from "./organisation/setting.tsx";

export default function Backups() {
  return (
    <AdminPage path="/settings/backups" title="Backups" what="look after backups">
      <Page />
    </AdminPage>
  );
}

export type BackupsData = Awaited<ReturnType<typeof load>>;
const load = () => done(api.backups.get());

function Page() {
  const backups = useLoad("backups", load, { kinds: ["backup", "organisation"] });
  const [failed, setFailed] = useState<string>();
  const { data } = backups;

  async function backUpNow() {
    try {
      backups.set(await done(api.backups.post({})));
      setFailed(undefined);
    } catch (error) {
      setFailed(failureOf(error).message);
    }
  }

  return (
    <>
      <div class="row">
        <h1>Backups</h1>
        {data?.to != null && (
          <button type="button" class="btn primary right" disabled={data.working !== null} onClick={backUpNow}>
            Back up now
          </button>
        )}
      </div>
      {failed !== undefined && <Note tone="err">{failed}</Note>}
      <Shown loaded={backups} rows={6}>
        {(data) =>
          data.instead === null ? (
            <>
              <BackupState data={data} />
              <section class="stacked" aria-label="Settings of backups">
                <h2>Where, and how often</h2>
                <div class="sheet">
                  {data.settings.map((setting) => (
                    <SettingRow
                      key={setting.name}
                      setting={setting}
                      held={setting.name === "backup_to" ? data.fixedTo : null}
                    />
                  ))}
                </div>
              </section>
              {data.tries.length > 0 && <BackupTries tries={data.tries} />}
            </>
          ) : (
            <Note tone="info">{data.instead.slice(0, 1).toUpperCase() + data.instead.slice(1)}.</Note>
          )
        }
      </Shown>
    </>
  );
}
