import { api, done } from "../../core/api.ts";
import { isAdmin } from "../../core/boot.ts";
import { useLoad } from "../../core/load.ts";
import { AdminsOnly } from "../../parts/admins-only.tsx";
import { Shown } from "../../parts/states.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { Diagnostics } from "./organisation/diagnostics.tsx";
import { NameForm } from "./organisation/name.tsx";
import { SettingRow } from "./organisation/setting.tsx";
import { Storage } from "./organisation/storage.tsx";
import { groups } from "./organisation/words.ts";

export default function Organisation() {
  return (
    <>
      <Bar crumbs={crumbsOf("/settings/organisation")} />
      <main id="main" class="page">
        {isAdmin.value ? (
          <Page />
        ) : (
          <>
            <h1>Organisation</h1>
            <AdminsOnly what="change the organisation" />
          </>
        )}
      </main>
    </>
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
              <section class="pile" key={title} aria-label={title}>
                <h2>{title}</h2>
                <div class="sheet">
                  {settings.map((setting) => (
                    <SettingRow key={setting.name} setting={setting} fixed={data.publicUrl.fixed} />
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
