import type { CallFailed } from "../core/api.ts";
import { useShortcuts } from "../core/keys.ts";
import { Icon } from "./icon.tsx";
import { Failed } from "./states.tsx";

/** Shown in place of a card or report that did not load over another page; the page below stays usable. */
export function FailedOver({ title, failed, onRetry }: { title: string; failed: CallFailed; onRetry: () => void }) {
  const close = () => history.back();
  useShortcuts([{ keys: "Escape", does: "Close", run: close }]);
  return (
    <section class="panel" aria-label={title}>
      <header>
        <b class="grow">{title}</b>
        <button type="button" class="btn ghost square right" aria-label="Close" onClick={close}>
          <Icon name="x" />
        </button>
      </header>
      <div class="scroll">
        <Failed failed={failed} onRetry={onRetry} />
      </div>
    </section>
  );
}
