import { shortcuts, singleKeys } from "../core/keys.ts";
import { Dialog } from "../parts/dialog.tsx";

/** The shortcuts of this page and of every page, as they hold right now. */
export default function HelpDialog({ onClose }: { onClose: () => void }) {
  const listed = new Map(shortcuts().flatMap(({ keys, does }) => (does === undefined ? [] : [[does, keys] as const])));
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
      <dl class="shortcuts">
        {[...listed].map(([does, keys]) => (
          <div key={does}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{keyName(key)}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>Close, back, cancel</dd>
        </div>
      </dl>
    </Dialog>
  );
}

const arrows: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", " ": "Space" };

function keyName(key: string): string {
  return key
    .split("+")
    .map((part) => arrows[part] ?? (part === "Control" ? "Ctrl" : part.length === 1 ? part.toUpperCase() : part))
    .join(" ");
}
