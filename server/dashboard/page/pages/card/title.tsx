import { useEffect, useRef, useState } from "preact/hooks";
import { failureOf } from "../../core/load.ts";
import { Conflict } from "./conflict.tsx";
import { saveText, type Theirs } from "./save-text.ts";
import type { CardCalls, CardDetail } from "./use-card.ts";

/** The title of a card, which is edited in place. */
export function Title({
  card,
  data,
  editing,
  onEditing,
  still,
}: {
  card: CardCalls;
  data: CardDetail;
  editing: boolean;
  onEditing: (editing: boolean) => void;
  /** The card is archived or deleted: its title cannot be edited. */
  still: boolean;
}) {
  if (editing && !still) return <TitleForm key={data.id} card={card} data={data} onDone={() => onEditing(false)} />;
  const text = data.title.trim() === "" ? <span class="dim">(untitled)</span> : data.title;
  if (still) return <h1 dir="auto">{text}</h1>;
  return (
    <h1 dir="auto">
      <button type="button" class="plain" title="Edit title (E)" dir="auto" onClick={() => onEditing(true)}>
        {text}
      </button>
    </h1>
  );
}

function TitleForm({ card, data, onDone }: { card: CardCalls; data: CardDetail; onDone: () => void }) {
  const [text, setText] = useState(data.title);
  const base = useRef<Theirs>(data);
  const [theirs, setTheirs] = useState<Theirs>();
  const [wrong, setWrong] = useState<string>();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    area.current?.focus();
    area.current?.select();
  }, []);

  async function save() {
    if (text === "" || text === base.current.title) return onDone();
    try {
      const other = await saveText(card, { title: text }, base.current);
      setTheirs(other);
      if (!other) onDone();
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }

  if (theirs) {
    return (
      <Conflict
        what="title"
        mine={text}
        theirs={theirs.title}
        onTakeTheirs={() => {
          card.loaded.reload();
          onDone();
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
    <>
      <h1 class="sr-only" dir="auto">
        {data.title}
      </h1>
      <textarea
        ref={area}
        class="title-edit"
        dir="auto"
        rows={Math.min(6, Math.ceil(text.length / 56) || 1)}
        aria-label="Title"
        aria-invalid={wrong !== undefined}
        value={text}
        onInput={(event) => setText(event.currentTarget.value.replaceAll("\n", " "))}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === "Escape") {
            event.preventDefault();
            base.current = { ...base.current, title: text };
            onDone();
          }
          if (event.key === "Enter") {
            event.preventDefault();
            event.currentTarget.blur();
          }
        }}
      />
      {wrong !== undefined && (
        <p class="text-err" role="alert">
          {wrong}
        </p>
      )}
    </>
  );
}
