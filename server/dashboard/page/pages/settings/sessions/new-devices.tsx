import type { NewDevice } from "../../../../../accounts/new-device.ts";
import { Ago } from "../../../parts/time.tsx";

/** Sign-ins with a browser or from a network that was new: the person says that they know them, or ends their sessions. */
export function NewDevices({
  items,
  open,
  onKnown,
  onEnd,
}: {
  items: readonly NewDevice[];
  /** The ids of sessions that have not ended. */
  open: ReadonlySet<string>;
  onKnown: (id: string) => void;
  onEnd: (id: string) => void;
}) {
  return (
    <section class="sheet padded stack" aria-labelledby="new-devices">
      <h2 id="new-devices">Was it you?</h2>
      <p class="soft">
        Somebody has signed in as you with a browser, or from a network, that you had not used here before. If it was
        not you, end the session and change your password.
      </p>
      <dl class="facts stacked">
        {items.map(({ id, device, network, at }) => (
          <div key={id}>
            <dt>
              <Ago at={at} />
            </dt>
            <dd>
              <span class="row">
                <span>
                  {device} {network !== null && <span class="mono dim">{network}</span>}
                </span>
                <button type="button" class="btn right" onClick={() => onKnown(id)}>
                  It was me<span class="sr-only"> {device}</span>
                </button>
                {open.has(id) && (
                  <button type="button" class="btn danger" onClick={() => onEnd(id)}>
                    End it<span class="sr-only"> {device}</span>
                  </button>
                )}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
