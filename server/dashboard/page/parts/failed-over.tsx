import type { CallFailed } from "../core/api.ts";
import { useShortcuts } from "../core/keys.ts";
import { Icon } from "./icon.tsx";
import { Failed } from "./states.tsx";

/** In the place of a page that would lie over another one, and did not come: that one stays whole beside it. */
export function FailedOver({ title, failed, onRetry }: { title: string; failed: CallFailed; onRetry: () => void }) {
  const close = () => history.back();
  useShortcuts([{ keys: "Escape", does: "Close", run: close }]);
  return (
    <section class="panel" aria-label={title}>
      <header>
        <b class="grow">{title}</b>
        <button type="button" class="btn ghost icon right" aria-label="Close" onClick={close}>
          <Icon name="x" />
        </button>
      </header>
      <div class="scroll">
        <Failed failed={failed} onRetry={onRetry} />
      </div>
    </section>
  );
}
