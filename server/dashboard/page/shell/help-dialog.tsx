import { keyNames } from "../core/key-names.ts";
import { type Shortcut, shortcuts, singleKeys } from "../core/keys.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Keys } from "../parts/keys.tsx";

/** The dialog that lists the shortcuts of this page and of every page that are active now. */
export default function HelpDialog({ onClose }: { onClose: () => void }) {
  const all = shortcuts();
  const here = listed(all.filter(({ common }) => !common));
  return (
    <Dialog
      title="Shortcuts"
      intro={
        singleKeys.value
          ? "Single keys do nothing while you type. They can be switched off under Settings, Appearance."
          : "Single keys are switched off under Settings, Appearance."
      }
      onClose={onClose}
      footer={
        <button type="button" class="btn right" data-focus onClick={onClose}>
          Close
        </button>
      }
    >
      {here.length > 0 && <Table title="This page" rows={here} />}
      <Table
        title="Every page"
        rows={[...listed(all.filter(({ common }) => common)), ["Close, back, cancel", [["Esc"]]]]}
      />
    </Dialog>
  );
}

type Row = readonly [does: string, presses: readonly (readonly string[])[]];

function Table({ title, rows }: { title: string; rows: readonly Row[] }) {
  return (
    <section class="section" aria-label={title}>
      <h2>{title}</h2>
      <dl class="shortcuts">
        {rows.map(([does, presses]) => (
          <div key={does}>
            <dt>
              <Keys presses={presses} />
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Shortcuts that differ only in their arrow key share a row. */
function listed(shortcuts: readonly Shortcut[]): Row[] {
  const rows = new Map<string, string[][]>();
  for (const { does, keys } of shortcuts) {
    if (does === undefined) continue;
    const [first = [], ...rest] = keyNames(keys);
    const former = rows.get(does)?.[0];
    const joined = former && former.length > 1 && former.slice(0, -1).join() === first.slice(0, -1).join();
    if (joined) rows.set(does, [[...former.slice(0, -1), `${former.at(-1)}${first.at(-1)}`]]);
    else rows.set(does, [first, ...rest]);
  }
  return [...rows];
}
