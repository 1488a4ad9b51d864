import { api, done } from "../../../core/api.ts";
import { compact, whole } from "../../../core/format.ts";
import { useLoad } from "../../../core/load.ts";
import { runTitle } from "../../../parts/run-words.ts";
import { Shown } from "../../../parts/states.tsx";

const shown = ["queued", "waiting", "claimed", "running", "succeeded", "failed"] as const;

/** The number of runs in each state. */
export function Queue() {
  const runs = useLoad("run counts", () => done(api.runs.get({ query: { limit: "1" } })), { kinds: ["run"] });
  return (
    <section class="stacked" aria-label="Runs">
      <h2>Runs</h2>
      <Shown loaded={runs} rows={1} rowHeight={64}>
        {({ counts }) => (
          <ul class="row wrap">
            {shown.map((state) => (
              <li key={state}>
                <a class="btn" href={`/runs?state=${state}`} title={whole(counts[state])}>
                  <b class="digits">{compact(counts[state])}</b> {runTitle(state).toLowerCase()}
                </a>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}
