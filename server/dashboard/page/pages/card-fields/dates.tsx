import { useState } from "preact/hooks";

/** Calendar days, without a zone. */
export function Dates({
  startsAt,
  dueAt,
  onSave,
}: {
  startsAt: string | null;
  dueAt: string | null;
  onSave: (dates: { startsAt: string | null; dueAt: string | null }) => void;
}) {
  const [starts, setStarts] = useState(startsAt ?? "");
  const [due, setDue] = useState(dueAt ?? "");
  const save = (event: Event) => {
    event.preventDefault();
    onSave({ startsAt: starts === "" ? null : starts, dueAt: due === "" ? null : due });
  };
  return (
    <form class="filters" onSubmit={save}>
      <label class="labelled">
        <span>Starts</span>
        <input class="field" type="date" value={starts} onInput={(event) => setStarts(event.currentTarget.value)} />
      </label>
      <label class="labelled">
        <span>Due</span>
        <input
          class="field"
          type="date"
          data-focus
          value={due}
          onInput={(event) => setDue(event.currentTarget.value)}
        />
      </label>
      <div class="row">
        <button type="submit" class="btn primary">
          Save dates
        </button>
        <button type="button" class="btn ghost" onClick={() => onSave({ startsAt: null, dueAt: null })}>
          Clear
        </button>
      </div>
    </form>
  );
}
