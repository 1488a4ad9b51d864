import { useRef, useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { failureOf } from "../../core/load.ts";
import { newOp } from "../../core/op.ts";
import { say, speak } from "../../core/say.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Note } from "../../parts/note.tsx";
import AssignAgent from "../card-fields/assign-agent.tsx";
import { FieldInput } from "../card-fields/field-input.tsx";
import { fields as declared, fieldNames, textOf, writtenValue } from "../card-fields/field-text.ts";
import type { FormFieldName } from "../card-fields/form-fields.ts";
import type { ProjectDetail } from "./project.ts";
import type { BoardStore } from "./store.ts";

export interface CreateCardProps {
  store: BoardStore;
  project: ProjectDetail | undefined;
  columnId: string;
  title: string;
  /** Called with the title typed so far when the form is closed without creating a card. */
  onLeft?: (title: string) => void;
  onClose: () => void;
}

/** The text of each control, by the name of its field. */
type Texts = Record<FormFieldName, string>;

const emptyTexts = Object.fromEntries(fieldNames.map((name) => [name, textOf(declared[name].absent)])) as Texts;
/** The fields below title and description, shown two to a row. */
const gridFields = fieldNames.filter((name) => declared[name].role !== 2);

/** The form for a new card with all its fields. */
export default function CreateCard({ store, project, columnId, title: begun, onLeft, onClose }: CreateCardProps) {
  const [fields, setFields] = useState<Texts>({ ...emptyTexts, title: begun, columnId });
  const [wrong, setWrong] = useState<string>();
  const [asking, setAsking] = useState(false);
  const op = useRef(newOp());
  const set = (change: Partial<typeof fields>) => setFields((before) => ({ ...before, ...change }));
  const isAgent = project?.agent?.id === fields.assigneeUserId && fields.assigneeUserId !== "";
  const assignable = project?.members.filter(({ role }) => role !== "agent" || project.agent?.mayStart) ?? [];

  const options: Partial<Record<FormFieldName, (readonly [string, string])[]>> = {
    columnId: store.columns.value.map(({ id, name }) => [id, name]),
    assigneeUserId: [["", "Nobody"], ...assignable.map(({ id, name }) => [id, name] as const)],
    agentRepositoryId: [["", "None"], ...(project?.repositories.map(({ id, url }) => [id, url] as const) ?? [])],
  };

  async function create(repositoryId?: string) {
    const { title, columnId, ...others } = fields;
    const given = Object.entries(others).flatMap(([name, text]) =>
      text === "" ? [] : [[name, writtenValue(name as keyof typeof others, text)]],
    );
    const repository = repositoryId ? { agentRepositoryId: repositoryId } : {};
    const more = { ...Object.fromEntries(given), ...repository };
    const card = await done(api.cards.post({ op: op.current, columnId, title, ...more }));
    store.put(card);
    speak("Created.");
    say("Card created");
    onClose();
  }

  /** Whoever began the card gets its title back, and only that. */
  const onlyTitle = fieldNames.every(
    (name) => ["title", "columnId"].includes(name) || fields[name] === emptyTexts[name],
  );

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
      kept={onLeft !== undefined && onlyTitle}
      onClose={leave}
      footer={
        <>
          <span class="dim hide-narrow">Ctrl Enter creates it</span>
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
        class="stacked"
        onSubmit={(event) => void submit(event)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(event);
        }}
      >
        <Field label={declared.title.label}>
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
        <Field label={declared.description.label} hint="Markdown">
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
        <div class="two-columns">
          {gridFields.map((name) => (
            <Field key={name} label={declared[name].label}>
              {(tied) => (
                <FieldInput
                  name={name}
                  {...tied}
                  options={options[name]}
                  value={fields[name]}
                  onValue={(text) => set({ [name]: text })}
                />
              )}
            </Field>
          ))}
        </div>
        {wrong !== undefined && <Note tone="err">{wrong}</Note>}
      </form>
    </Dialog>
  );
}
