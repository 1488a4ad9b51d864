import { useEffect, useRef, useState } from "preact/hooks";
import { draftOf, keepDraft } from "../../core/draft.ts";
import { failureOf } from "../../core/load.ts";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { Conflict } from "./conflict.tsx";
import { Markdown } from "./markdown.tsx";
import { saveText, type Theirs } from "./save-text.ts";
import type { CardCalls, CardDetail } from "./use-card.ts";

/**
 * The description of a card, shown or edited. Text that is being edited is kept as a draft in case the page is closed.
 */
export function Description({ card, data, still }: { card: CardCalls; data: CardDetail; still: boolean }) {
  const name = `description ${data.id}`;
  const [editing, setEditing] = useState(false);
  useEffect(() => setEditing(draftOf(name) !== undefined), [name]);
  if (editing && !still) {
    return <DescriptionForm key={data.id} name={name} card={card} data={data} onDone={() => setEditing(false)} />;
  }
  return (
    <section class="description" aria-label="Description">
      {data.description === null || data.description.trim() === "" ? (
        !still && (
          <button type="button" class="btn ghost" onClick={() => setEditing(true)}>
            <Icon name="pencil" small />
            Add a description
          </button>
        )
      ) : (
        <>
          <Markdown text={data.description} />
          {!still && (
            <button
              type="button"
              class="btn ghost square edit"
              aria-label="Edit description"
              onClick={() => setEditing(true)}
            >
              <Icon name="pencil" small />
            </button>
          )}
        </>
      )}
    </section>
  );
}

interface Draft {
  text: string;
  base: Theirs;
}

function DescriptionForm({
  name,
  card,
  data,
  onDone,
}: {
  name: string;
  card: CardCalls;
  data: CardDetail;
  onDone: () => void;
}) {
  const [kept] = useState(() => readDraft(name));
  const [text, setText] = useState(kept?.text ?? data.description ?? "");
  const base = useRef<Theirs>(kept?.base ?? data);
  const [theirs, setTheirs] = useState<Theirs>();
  const [wrong, setWrong] = useState<string>();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);

  function type(next: string) {
    setText(next);
    const { title, description, version } = base.current;
    keepDraft(name, JSON.stringify({ text: next, base: { title, description, version } } satisfies Draft));
  }

  function end() {
    keepDraft(name, undefined);
    onDone();
  }

  async function save() {
    try {
      const other = await saveText(card, { description: text === "" ? null : text }, base.current);
      setTheirs(other);
      if (!other) end();
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }

  if (theirs) {
    return (
      <Conflict
        what="description"
        mine={text}
        theirs={theirs.description ?? ""}
        onTakeTheirs={() => {
          card.loaded.reload();
          end();
        }}
        onKeepMine={() => {
          base.current = theirs;
          setTheirs(undefined);
          void save();
        }}
      />
    );
  }
  return (
    <section class="description stacked" aria-label="Description">
      {kept && <Note tone="info">This is what you had typed and not saved.</Note>}
      <textarea
        ref={area}
        class="field tall"
        dir="auto"
        aria-label="Description, in Markdown"
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === "Escape") {
            event.preventDefault();
            end();
          }
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void save();
          }
        }}
      />
      {wrong !== undefined && <Note tone="err">{wrong}</Note>}
      <div class="row">
        <button type="button" class="btn primary" onClick={() => void save()}>
          Save description
        </button>
        <button type="button" class="btn ghost" onClick={end}>
          Cancel
        </button>
        <span class="right dim hide-narrow">Markdown · Ctrl Enter saves</span>
      </div>
    </section>
  );
}

function readDraft(name: string): Draft | undefined {
  try {
    const draft = JSON.parse(draftOf(name) ?? "null") as Draft | null;
    return draft && typeof draft.text === "string" && typeof draft.base.version === "number" ? draft : undefined;
  } catch {
    return undefined;
  }
}
