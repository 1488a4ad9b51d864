import { useState } from "preact/hooks";
import { isAdmin } from "../../core/boot.ts";
import { plural, whole } from "../../core/format.ts";
import { say } from "../../core/say.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Icon } from "../../parts/icon.tsx";
import { deleteReports } from "../report/calls.ts";
import { CardForm } from "../report/card-form.tsx";
import type { Selection } from "./selection.ts";

/** Reports that one call deletes at most. */
const deletedMax = 200;
const inCardMax = 20;

/** The actions for all selected reports. */
export function Bulk({ selection, onDeleted }: { selection: Selection; onDeleted: (ids: string[]) => void }) {
  const [asking, setAsking] = useState(false);
  const [making, setMaking] = useState(false);
  const ids = [...selection.ids];
  if (ids.length === 0) return null;

  async function remove() {
    for (let i = 0; i < ids.length; i += deletedMax) await deleteReports(ids.slice(i, i + deletedMax));
    say(`${plural(ids.length, "report")} deleted`);
    onDeleted(ids);
    selection.clear();
  }

  return (
    <section class="bulk" aria-label="Selected reports">
      <b aria-live="polite">{whole(ids.length)} selected</b>
      <button
        type="button"
        class="btn"
        disabled={ids.length > inCardMax}
        title={ids.length > inCardMax ? `One card is made from ${inCardMax} reports at the most.` : undefined}
        onClick={() => setMaking(true)}
      >
        <Icon name="plus" small />
        Create card
      </button>
      {isAdmin.value && (
        <button type="button" class="btn danger" onClick={() => setAsking(true)}>
          <Icon name="trash" small />
          Delete
        </button>
      )}
      <button type="button" class="btn ghost right" onClick={selection.clear}>
        Clear
      </button>
      {making && <CardForm reportIds={ids} onCreated={selection.clear} onClose={() => setMaking(false)} />}
      {asking && (
        <Confirm
          title={`Delete ${plural(ids.length, "report")}?`}
          verb={`Delete ${plural(ids.length, "report")}`}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>The reports and their files go now. This cannot be undone.</p>
          <p>The same reports sent again by a device stay suppressed for a while, so they will not come back.</p>
        </Confirm>
      )}
    </section>
  );
}
