import { useRef, useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { failureOf } from "../../core/load.ts";
import { newOp } from "../../core/op.ts";
import { say, speak } from "../../core/say.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Note } from "../../parts/note.tsx";
import { AssignAgent } from "../card-fields/assign-agent.tsx";
import { type Priority, priorities, priorityWords } from "../card-fields/priority.tsx";
import type { ProjectDetail } from "./project.ts";
import type { BoardStore } from "./store.ts";

export interface CreateCardProps {
  store: BoardStore;
  project: ProjectDetail | undefined;
  columnId: string;
  title: string;
  /** Before it is closed without a card: the title that was written by then. */
  onLeft?: (title: string) => void;
  onClose: () => void;
}

/** A card with all that it can have from its beginning. */
export default function CreateCard({ store, project, columnId, title: begun, onLeft, onClose }: CreateCardProps) {
  const [fields, setFields] = useState({
    title: begun,
    description: "",
    columnId,
    priority: "none" as Priority,
    assigneeUserId: "",
    agentRepositoryId: "",
    startsAt: "",
    dueAt: "",
  });
  const [wrong, setWrong] = useState<string>();
  const [asking, setAsking] = useState(false);
  const op = useRef(newOp());
  const set = (change: Partial<typeof fields>) => setFields((before) => ({ ...before, ...change }));
  const isAgent = project?.agent?.id === fields.assigneeUserId && fields.assigneeUserId !== "";
  const assignable = project?.members.filter(({ role }) => role !== "agent" || project.agent?.mayStart) ?? [];

  async function create(repositoryId?: string) {
    const { title, columnId, priority, ...rest } = fields;
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ""));
    const repository = repositoryId ? { agentRepositoryId: repositoryId } : {};
    const card = await done(api.cards.post({ op: op.current, columnId, title, priority, ...given, ...repository }));
    store.put(card);
    speak("Created.");
    say("Card created");
    onClose();
  }

  function leave() {
    onLeft?.(fields.title);
    onClose();
  }

  async function submit(event: Event) {
    event.preventDefault();
    if (isAgent) return setAsking(true);
    await create().catch((error: unknown) => setWrong(failureOf(error).message));
  }

  if (asking && project) {
    return <AssignAgent project={project} onAssign={create} onClose={() => setAsking(false)} />;
  }
  return (
    <Dialog
      title="New card"
      onClose={leave}
      footer={
        <>
          <span class="dim only-d">Ctrl Enter creates it</span>
          <button type="button" class="btn right" onClick={leave}>
            Cancel
          </button>
          <button type="submit" form="create-card" class="btn primary">
            Create card
          </button>
        </>
      }
    >
      <form
        id="create-card"
        class="pile"
        onSubmit={(event) => void submit(event)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(event);
        }}
      >
        <Field label="Title">
          {(tied) => (
            <input
              class="field"
              dir="auto"
              required
              data-focus
              {...tied}
              value={fields.title}
              onInput={(event) => set({ title: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Description" hint="Markdown">
          {(tied) => (
            <textarea
              class="field"
              dir="auto"
              {...tied}
              value={fields.description}
              onInput={(event) => set({ description: event.currentTarget.value })}
            />
          )}
        </Field>
        <div class="two">
          <Select
            label="Column"
            value={fields.columnId}
            onChange={(columnId) => set({ columnId })}
            options={store.columns.value.map(({ id, name }) => [id, name])}
          />
          <Select
            label="Priority"
            value={fields.priority}
            onChange={(priority) => set({ priority: priorities.find((one) => one === priority) ?? "none" })}
            options={priorities.map((one) => [one, priorityWords[one] ?? one])}
          />
          <Select
            label="Assignee"
            value={fields.assigneeUserId}
            onChange={(assigneeUserId) => set({ assigneeUserId })}
            options={[["", "Nobody"], ...assignable.map(({ id, name }) => [id, name] as [string, string])]}
          />
          <Select
            label="Repository"
            value={fields.agentRepositoryId}
            onChange={(agentRepositoryId) => set({ agentRepositoryId })}
            options={[
              ["", "None"],
              ...(project?.repositories.map(({ id, url }) => [id, url] as [string, string]) ?? []),
            ]}
          />
          <Field label="Starts">
            {(tied) => (
              <input
                class="field"
                type="date"
                {...tied}
                value={fields.startsAt}
                onChange={(event) => set({ startsAt: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label="Due">
            {(tied) => (
              <input
                class="field"
                type="date"
                {...tied}
                value={fields.dueAt}
                onChange={(event) => set({ dueAt: event.currentTarget.value })}
              />
            )}
          </Field>
        </div>
        {wrong !== undefined && <Note tone="err">{wrong}</Note>}
      </form>
    </Dialog>
  );
}

function Select({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(tied) => (
        <select class="field" {...tied} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
