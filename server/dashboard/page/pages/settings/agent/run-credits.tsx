import { useId, useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { repositoryName } from "../../../core/format.ts";
import { failureOf } from "../../../core/load.ts";
import { useRows } from "../../../core/rows.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { MoreRows } from "../../../parts/more-rows.tsx";
import { Empty, Shown } from "../../../parts/states.tsx";

const list = (cursor: string | undefined) => done(api.repositories.get({ query: { cursor } }));
type Repository = Awaited<ReturnType<typeof list>>["items"][number];

/** The credits that a run holds, for each repository. */
export function RunCredits() {
  const rows = useRows("run credits", list, { kinds: ["repository"] });
  return (
    <section class="stacked" aria-label="Credits per run">
      <h2>Credits per run</h2>
      <Shown loaded={rows}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty action={<a href="/settings/repositories">Bind a repository</a>}>
              No repository is bound yet. Without one a run waits.
            </Empty>
          ) : (
            <div class="sheet">
              {items.map((repository) => (
                <Row key={repository.id} repository={repository} />
              ))}
            </div>
          )
        }
      </Shown>
      <MoreRows more={rows.more} busy={rows.busy} />
    </section>
  );
}

function Row({ repository: { id, url, projectName, runCredits } }: { repository: Repository }) {
  const field = useId();
  const [text, setText] = useState<string>();
  const [wrong, setWrong] = useState<string>();
  const shown = text ?? String(runCredits);

  async function save() {
    if (!/^\d+$/.test(shown.trim())) return setWrong("A whole number.");
    try {
      await sensitive(() => done(api.repositories({ id }).credits.patch({ credits: Number(shown) })));
      setText(undefined);
      setWrong(undefined);
      say("Saved. It holds from the next run that is taken.");
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }

  return (
    <form
      class="setting"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label for={field}>
        <b class="ellipsis" title={url}>
          {repositoryName(url)}
        </b>
        <small dir="auto">{projectName}</small>
      </label>
      <span class="row wrap">
        <span class="field width-120">
          <input
            id={field}
            inputMode="numeric"
            autocomplete="off"
            value={shown}
            aria-invalid={wrong !== undefined}
            aria-describedby={`${field}-wrong`}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </span>
        <span class="dim">credits</span>
        {shown !== String(runCredits) && (
          <button type="submit" class="btn primary">
            Save
          </button>
        )}
      </span>
      <small id={`${field}-wrong`} class="text-err" role={wrong === undefined ? undefined : "alert"}>
        {wrong}
      </small>
    </form>
  );
}
