import { api, done } from "../../../core/api.ts";
import { useLoad } from "../../../core/load.ts";
import { Shown } from "../../../parts/states.tsx";
import { SettingRow } from "../organisation/setting.tsx";

/** Who may start and cancel runs. */
export function Starters() {
  const organisation = useLoad("organisation", () => done(api.organisation.get()), { kinds: ["organisation"] });
  return (
    <section class="stacked" aria-label="Who may start runs">
      <Shown loaded={organisation} rows={1}>
        {({ settings }) => (
          <div class="sheet">
            {settings
              .filter(({ name }) => name === "run_starters")
              .map((setting) => (
                <SettingRow key={setting.name} setting={setting} held={null} />
              ))}
          </div>
        )}
      </Shown>
    </section>
  );
}
