import { useState } from "preact/hooks";
import { failureOf } from "../../core/load.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Note } from "../../parts/note.tsx";
import type { ProjectDetail } from "../board/project.ts";

/** Assigning to the agent is never silent: it starts work that costs something. */
export function AssignAgent({
  project,
  repositoryId,
  onAssign,
  onClose,
}: {
  project: Pick<ProjectDetail, "name" | "repositories">;
  /** The one that the card names already. */
  repositoryId?: string | undefined;
  onAssign: (repositoryId: string | undefined) => Promise<unknown>;
  onClose: () => void;
}) {
  const { repositories } = project;
  const [chosen, setChosen] = useState(repositoryId ?? repositories[0]?.id);
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const name = repositories.find(({ id }) => id === chosen)?.url;

  async function assign() {
    setBusy(true);
    try {
      await onAssign(chosen);
    } catch (error) {
      setWrong(failureOf(error).message);
      setBusy(false);
    }
  }

  return (
    <Dialog
      title="Assign to the agent?"
      intro={
        <>
          A run is queued now. It consumes credits and may open a pull request
          {name !== undefined && (
            <>
              {" on "}
              <code>{repositoryName(name)}</code>
            </>
          )}
          .
        </>
      }
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" data-focus onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="btn primary" disabled={busy} onClick={() => void assign()}>
            {repositories.length === 0 ? "Assign anyway" : "Assign and queue run"}
          </button>
        </>
      }
    >
      {repositories.length === 0 ? (
        <Note>No repository is bound to {project.name}. The run will wait until one is.</Note>
      ) : (
        <label class="labelled">
          <span>Repository</span>
          <select class="field" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            {repositories.map(({ id, url }) => (
              <option key={id} value={id}>
                {repositoryName(url)}
              </option>
            ))}
          </select>
        </label>
      )}
      {wrong !== undefined && <Note tone="err">{wrong}</Note>}
    </Dialog>
  );
}

/** "mobile-app/core" of "https://git.example.org/mobile-app/core.git". */
export function repositoryName(url: string): string {
  return URL.parse(url)?.pathname.replace(/^\/|\.git$|\/$/g, "") || url;
}
