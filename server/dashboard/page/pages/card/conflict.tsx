import { CopyButton } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";

/** Shows both texts when two people changed the same one; the person who is editing decides which is kept. */
export function Conflict({
  what,
  mine,
  theirs,
  onKeepMine,
  onTakeTheirs,
}: {
  what: string;
  mine: string;
  theirs: string;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}) {
  return (
    <section class="box conflict" role="alert" aria-label={`The ${what} was changed meanwhile`}>
      <header>
        <Icon name="alert" tone="warn" />
        <b>Somebody changed the {what} while you wrote.</b>
      </header>
      <div class="box-body two-columns">
        <div>
          <h3>Theirs, as it stands now</h3>
          <pre dir="auto">{theirs === "" ? "(empty)" : theirs}</pre>
        </div>
        <div>
          <h3>Yours, not saved</h3>
          <pre dir="auto">{mine === "" ? "(empty)" : mine}</pre>
        </div>
      </div>
      <footer class="row">
        <CopyButton text={mine} label="Copy mine" />
        <button type="button" class="btn right" onClick={onTakeTheirs}>
          Take theirs
        </button>
        <button type="button" class="btn primary" onClick={onKeepMine}>
          Keep mine
        </button>
      </footer>
    </section>
  );
}
