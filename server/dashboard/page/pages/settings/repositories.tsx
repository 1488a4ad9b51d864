import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { boot, isAdmin } from "../../core/boot.ts";
import { plural } from "../../core/format.ts";
import { useShortcuts } from "../../core/keys.ts";
import { useRowKeys } from "../../core/row-keys.ts";
import { useRows } from "../../core/rows.ts";
import { say } from "../../core/say.ts";
import { AdminsOnly } from "../../parts/admins-only.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { MoreRows } from "../../parts/more-rows.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Ago } from "../../parts/time.tsx";
import { Bar } from "../../shell/bar.tsx";

export default function Repositories() {
  return (
    <>
      <Bar crumbs={[{ text: "Settings", to: "/settings" }, "Repositories"]} />
      <main id="main" class="page">
        {isAdmin.value ? (
          <Page />
        ) : (
          <>
            <h1>Repositories</h1>
            <AdminsOnly what="manage repositories" />
          </>
        )}
      </main>
    </>
  );
}

type Repository = Awaited<ReturnType<typeof list>>["items"][number];
const list = (query: { cursor?: string | undefined } = {}) => done(api.repositories.get({ query }));

function Page() {
  const [open, setOpen] = useState<"bind" | Repository>();
  const rows = useRows("repositories", (cursor) => list({ cursor }), { kinds: ["repository", "run"] });
  const bind = () => setOpen("bind");
  useShortcuts([{ keys: "n", does: "Bind a repository", run: bind }]);
  useRowKeys("repository");
  return (
    <>
      <div class="head">
        <div>
          <h1>Repositories</h1>
          <p>An agent run works against a repository of its card's project, and may open a pull request there.</p>
        </div>
        <button type="button" class="btn primary right" onClick={bind}>
          <Icon name="plus" small />
          Bind repository <span class="k only-d">N</span>
        </button>
      </div>
      <Shown loaded={rows}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty command="intake repository bind --project PROJECT --url https://git.example.org/shop.git">
              No repository is bound yet. Without one an agent run waits.
            </Empty>
          ) : (
            <div class="sheet">
              <table class="table lines">
                <thead>
                  <tr>
                    <th>Repository</th>
                    <th>Project</th>
                    <th>Last run</th>
                    <th>
                      <span class="sr">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((repository) => (
                    <tr key={repository.id}>
                      <td>
                        <div class="row">
                          <Icon name="branch" />
                          <code class="clip" title={repository.url}>
                            {repository.url}
                          </code>
                        </div>
                      </td>
                      <td data-label="Project" dir="auto">
                        {repository.projectName}
                      </td>
                      <td data-label="Last run">
                        {repository.lastRun === null ? (
                          <span class="dim">none yet</span>
                        ) : (
                          <a href={`/runs/${repository.lastRun.id}`}>
                            {repository.lastRun.state} · <Ago at={repository.lastRun.queuedAt} />
                          </a>
                        )}
                      </td>
                      <td class="r">
                        <Menu
                          label={`Actions on ${repository.url}`}
                          items={[{ label: "Unbind", icon: "x", danger: true, run: () => setOpen(repository) }]}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
      <MoreRows more={rows.more} busy={rows.busy} />
      {open === "bind" && <Bind onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== "bind" && <Unbind repository={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function Bind({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState("");
  const [projectId, setProject] = useState(boot.value.projects[0]?.id ?? "");
  return (
    <FormDialog
      title="Bind a repository"
      verb="Bind repository"
      ready={url.trim() !== "" && projectId !== ""}
      onSubmit={async () => {
        await done(api.repositories.post({ projectId, url: url.trim() }));
        say("The repository is bound.");
        onClose();
      }}
      onClose={onClose}
    >
      <Field label="Address" hint="What git clones, without a password: the machine that executes runs has its own.">
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              data-focus
              type="text"
              inputMode="url"
              autocomplete="off"
              spellcheck={false}
              placeholder="https://git.example.org/shop.git"
              value={url}
              onInput={(event) => setUrl(event.currentTarget.value)}
            />
          </span>
        )}
      </Field>
      <Field label="Project">
        {(tied) => (
          <select {...tied} class="field" value={projectId} onChange={(event) => setProject(event.currentTarget.value)}>
            {boot.value.projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </FormDialog>
  );
}

function Unbind({ repository, onClose }: { repository: Repository; onClose: () => void }) {
  const { id, url, waitingRuns } = repository;
  return (
    <Confirm
      title="Unbind this repository?"
      verb="Unbind repository"
      onConfirm={async () => {
        await done(api.repositories({ id }).delete());
        say("The repository is unbound.");
      }}
      onClose={onClose}
    >
      <p>
        <code>{url}</code>
      </p>
      <p>
        {waitingRuns > 0 && <b>{plural(waitingRuns, "run")} that did not end yet would work against it. </b>}
        Cards that name it keep it. New runs cannot choose it.
      </p>
    </Confirm>
  );
}
