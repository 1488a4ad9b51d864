import { useState } from "preact/hooks";
import { repositoryFields } from "../../../../boards/repository-fields.ts";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { plural } from "../../core/format.ts";
import { useShortcuts } from "../../core/keys.ts";
import { useRowKeys } from "../../core/row-keys.ts";
import { useRows } from "../../core/rows.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { bodyOf, draftOf, isReady, newDraft } from "../../parts/field-draft.ts";
import { FieldInputs } from "../../parts/field-inputs.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { MoreRows } from "../../parts/more-rows.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";

export default function Repositories() {
  return (
    <AdminPage path="/settings/repositories" title="Repositories" what="manage repositories">
      <Page />
    </AdminPage>
  );
}

type Repository = Awaited<ReturnType<typeof list>>["items"][number];
const list = (query: { cursor?: string | undefined } = {}) => done(api.repositories.get({ query }));

function Page() {
  const [open, setOpen] = useState<{ what: "bind" } | { what: "branch" | "unbind"; repository: Repository }>();
  const rows = useRows("repositories", (cursor) => list({ cursor }), { kinds: ["repository", "run"] });
  const bind = () => setOpen({ what: "bind" });
  const close = () => setOpen(undefined);
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
          Bind repository <span class="kbd hide-narrow">N</span>
        </button>
      </div>
      <Shown loaded={rows}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty command="intake repository bind --project PROJECT --url https://git.example.org/shop.git">
              No repository is bound yet. Without one an agent run waits.
            </Empty>
          ) : (
            <Table
              columns={["Repository", "Project", "Base branch", "Last run", { name: "Actions", class: "sr-only" }]}
            >
              {items.map((repository) => (
                <tr key={repository.id}>
                  <td>
                    <div class="row">
                      <Icon name="branch" />
                      <code class="ellipsis" title={repository.url}>
                        {repository.url}
                      </code>
                    </div>
                  </td>
                  <td data-label="Project" dir="auto">
                    {repository.projectName}
                  </td>
                  <td data-label="Base branch">
                    {repository.baseBranch === null ? (
                      <span class="dim">its default</span>
                    ) : (
                      <code class="ellipsis" title={repository.baseBranch}>
                        {repository.baseBranch}
                      </code>
                    )}
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
                  <td class="align-right">
                    <Menu
                      label={`Actions on ${repository.url}`}
                      items={[
                        {
                          label: "Change base branch…",
                          icon: "branch",
                          run: () => setOpen({ what: "branch", repository }),
                        },
                        {
                          label: "Unbind",
                          icon: "x",
                          danger: true,
                          run: () => setOpen({ what: "unbind", repository }),
                        },
                      ]}
                    />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
      <MoreRows more={rows.more} busy={rows.busy} />
      {open?.what === "bind" && <Bind onClose={close} />}
      {open?.what === "branch" && <BaseBranch repository={open.repository} onClose={close} />}
      {open?.what === "unbind" && <Unbind repository={open.repository} onClose={close} />}
    </>
  );
}

function Bind({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(newDraft(repositoryFields, { projectId: boot.value.projects[0]?.id ?? "" }));
  return (
    <FormDialog
      title="Bind a repository"
      verb="Bind repository"
      ready={isReady(repositoryFields, "new", draft)}
      onSubmit={async () => {
        await sensitive(() => done(api.repositories.post(bodyOf(repositoryFields, "new", draft))));
        say("The repository is bound.");
        onClose();
      }}
      onClose={onClose}
    >
      <FieldInputs
        fields={repositoryFields}
        names={["url", "projectId", "baseBranch"]}
        form="new"
        draft={draft}
        onDraft={setDraft}
      />
    </FormDialog>
  );
}

function BaseBranch({ repository, onClose }: { repository: Repository; onClose: () => void }) {
  const { id, url } = repository;
  const before = draftOf(repositoryFields, repository);
  const [draft, setDraft] = useState(before);
  return (
    <FormDialog
      title="Base branch"
      verb="Save"
      ready={draft.baseBranch.trim() !== before.baseBranch}
      onSubmit={async () => {
        await sensitive(() => done(api.repositories({ id }).patch(bodyOf(repositoryFields, "change", draft))));
        say("Saved. It holds from the next run that is taken.");
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        <code>{url}</code>
      </p>
      <FieldInputs fields={repositoryFields} form="change" draft={draft} onDraft={setDraft} />
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
        await sensitive(() => done(api.repositories({ id }).delete()));
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
