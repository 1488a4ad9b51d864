import { useState } from "preact/hooks";
import { plural, repositoryName, whole } from "../../core/format.ts";
import { failureOf } from "../../core/load.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Note } from "../../parts/note.tsx";
import type { ProjectDetail } from "../board/project.ts";

export interface AssignAgentProps {
  project: Pick<ProjectDetail, "name" | "repositories" | "credits">;
  /** The repository that the card names already. */
  repositoryId?: string | undefined;
  onAssign: (repositoryId: string | undefined) => Promise<unknown>;
  onClose: () => void;
}

/** Asks before a card is assigned to the agent, because that starts a run and may cost credits. */
export default function AssignAgent({ project, repositoryId, onAssign, onClose }: AssignAgentProps) {
  const { repositories, credits } = project;
  const [chosen, setChosen] = useState(repositoryId ?? repositories[0]?.id);
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const repository = repositories.find(({ id }) => id === chosen);
  const needed = repository?.runCredits ?? 0;
  const short = credits !== null && repository !== undefined && credits < needed;

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
          A run is queued now. It consumes credits
          {credits !== null &&
            repository !== undefined &&
            ` (${whole(needed)} held when a runner takes it; ${whole(credits)} left)`}{" "}
          and may open a pull request
          {repository !== undefined && (
            <>
              {" on "}
              <code>{repositoryName(repository.url)}</code>
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
            {repositories.length === 0 || short ? "Assign anyway" : "Assign and queue run"}
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
      {short && (
        <Note>
          {plural(credits, "credit")} left, {whole(needed)} needed. The run will wait.
        </Note>
      )}
      {wrong !== undefined && <Note tone="err">{wrong}</Note>}
    </Dialog>
  );
}
