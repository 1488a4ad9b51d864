import { useState } from "preact/hooks";
import { plural } from "../../core/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Popover } from "../../parts/pick.tsx";
import { display, doneChoices, keepDisplay } from "./display.ts";
import type { BoardStore } from "./store.ts";

export function DisplayOptions({ store }: { store: BoardStore }) {
  const [open, setOpen] = useState(false);
  const { dense, hidden, doneDays } = display.value;
  const columns = store.columns.value;
  const away = columns.filter(({ id }) => hidden.includes(id)).length;
  return (
    <Popover
      label="Display"
      class="btn ghost"
      open={open}
      onOpen={setOpen}
      content={() => (
        <div class="filters">
          <label class="row">
            <input
              type="checkbox"
              checked={dense}
              onChange={(event) => keepDisplay({ dense: event.currentTarget.checked })}
            />
            Small cards
          </label>
          <label class="labelled">
            <span>Done</span>
            <select
              class="field"
              value={doneDays ?? ""}
              onChange={(event) => keepDisplay({ doneDays: Number(event.currentTarget.value) || null })}
            >
              <option value="">All of it</option>
              {doneChoices.map((days) => (
                <option key={days} value={days}>
                  Of the last {plural(days, "day")}
                </option>
              ))}
            </select>
          </label>
          <fieldset>
            <legend>Columns</legend>
            <div class="stacked">
              {columns.map(({ id, name }) => (
                <label key={id} class="row">
                  <input
                    type="checkbox"
                    checked={!hidden.includes(id)}
                    onChange={(event) =>
                      keepDisplay({
                        hidden: event.currentTarget.checked ? hidden.filter((other) => other !== id) : [...hidden, id],
                      })
                    }
                  />
                  <span class="ellipsis" dir="auto">
                    {name}
                  </span>
                </label>
              ))}
            </div>
          </fieldset>
        </div>
      )}
    >
      <Icon name="more" small />
      Display
      {away > 0 && <span class="dim digits">{away} hidden</span>}
    </Popover>
  );
}
