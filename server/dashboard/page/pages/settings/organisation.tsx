import { api, done } from "../../core/api.ts";
import { useLoad } from "../../core/load.ts";
import { Shown } from "../../parts/states.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";
import { Diagnostics } from "./organisation/diagnostics.tsx";
import { NameForm } from "./organisation/name.tsx";
import { SettingRow } from "./organisation/setting.tsx";
import { Storage } from "./organisation/storage.tsx";
import { groups } from "./organisation/words.ts";

export default function Organisation() {
  return (
    <AdminPage path="/settings/organisation" title="Organisation" what="change the organisation">
      <Page />
    </AdminPage>
  );
}

export type OrganisationData = Awaited<ReturnType<typeof load>>;
const load = () => done(api.organisation.get());

function Page() {
  const organisation = useLoad("organisation", load, { kinds: ["organisation", "storage"] });
  return (
    <>
      <h1>Organisation</h1>
      <Shown loaded={organisation} rows={8}>
        {(data) => (
          <>
            <NameForm key={data.name} name={data.name} />
            {groups(data.settings).map(({ title, settings }) => (
              <section class="stacked" key={title} aria-label={title}>
                <h2>{title}</h2>
                <div class="sheet">
                  {settings.map((setting) => (
                    <SettingRow
                      key={setting.name}
                      setting={setting}
                      held={setting.name === "public_url" ? data.publicUrl.fixed : null}
                    />
                  ))}
                </div>
              </section>
            ))}
            <Storage data={data} />
            <Diagnostics data={data} />
          </>
        )}
      </Shown>
    </>
  );
}
