import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { plural } from "../../core/format.ts";
import { failureOf, useLoad } from "../../core/load.ts";
import { newOp } from "../../core/op.ts";
import { say } from "../../core/say.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Note } from "../../parts/note.tsx";
import { Failed, Rows } from "../../parts/states.tsx";
import { createCard, deleteCard, readDraft } from "./calls.ts";

interface Fields {
  title: string;
  description: string;
  columnId: string;
}

/** The form that makes a card from reports, filled in from them. Warns when one of them has a card already. */
export function CardForm({
  reportIds,
  onCreated,
  onClose,
}: {
  reportIds: readonly string[];
  onCreated: () => void;
  onClose: () => void;
}) {
  const [changed, setChanged] = useState<Partial<Fields>>({});
  const op = useRef(newOp());
  const { data, failed, waiting, reload } = useLoad(`draft ${reportIds.join()}`, () => readDraft(reportIds));
  const title = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => title.current?.focus(), [data !== undefined]);
  const columns = data?.columns ?? [];
  const fields: Fields = {
    title: data?.title ?? "",
    description: data?.description ?? "",
    columnId: columns[0]?.id ?? "",
    ...changed,
  };
  const set = (change: Partial<Fields>) => setChanged((before) => ({ ...before, ...change }));

  async function create() {
    const { id } = await createCard({ op: op.current, reportIds: [...reportIds], ...fields });
    say(reportIds.length === 1 ? "Card created" : `Card created from ${plural(reportIds.length, "report")}`, {
      open: `/cards/${id}`,
      undo: () => void takeBack(id, onCreated),
    });
    onCreated();
    onClose();
  }

  return (
    <FormDialog
      title={reportIds.length === 1 ? "Card from this report" : `Card from ${plural(reportIds.length, "report")}`}
      verb="Create card"
      ready={data !== undefined && fields.title.trim() !== "" && fields.columnId !== ""}
      onSubmit={create}
      onClose={onClose}
    >
      {failed && <Failed failed={failed} onRetry={reload} />}
      {waiting && <Rows count={4} height={34} />}
      {data && (
        <>
          {data.cards.length > 0 && (
            <Note>
              {reportIds.length === 1 ? "This report has" : "Some of these reports have"}{" "}
              {data.cards.length === 1 ? "a card already: " : `${data.cards.length} cards already: `}
              {data.cards.slice(0, linkedMax).map(({ id, title, archived }, i) => (
                <span key={id}>
                  {i > 0 && ", "}
                  <a href={`/cards/${id}`} dir="auto">
                    {title}
                  </a>
                  {archived && " (archived)"}
                </span>
              ))}
              {data.cards.length > linkedMax && ` and ${data.cards.length - linkedMax} more`}.
            </Note>
          )}
          <Field label="Title">
            {(tied) => (
              <input
                class="field"
                dir="auto"
                required
                ref={title}
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
                rows={6}
                {...tied}
                value={fields.description}
                onInput={(event) => set({ description: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label="Column" wrong={columns.length === 0 ? "The project has no board with a column." : undefined}>
            {(tied) => (
              <select
                class="field"
                {...tied}
                value={fields.columnId}
                onChange={(event) => set({ columnId: event.currentTarget.value })}
              >
                {columns.map(({ id, name, board }) => (
                  <option key={id} value={id}>
                    {board} › {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

const linkedMax = 3;

async function takeBack(id: string, onGone: () => void) {
  try {
    await deleteCard(id);
    say("The card is deleted again");
    onGone();
  } catch (error) {
    say(failureOf(error).message, { bad: true });
  }
}
