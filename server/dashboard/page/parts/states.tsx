import type { ComponentChildren } from "preact";
import type { CallFailed } from "../core/api.ts";
import type { Loaded } from "../core/load.ts";
import { CopyBlock } from "./copy.tsx";
import { Icon } from "./icon.tsx";

/**
 * Shows loaded data, or that it is loading, or why loading failed. A failure in one part leaves the rest of the page
 * usable.
 */
export function Shown<Data>({
  loaded,
  rows = 3,
  rowHeight = 46,
  children,
}: {
  loaded: Loaded<Data>;
  rows?: number;
  rowHeight?: number;
  children: (data: Data) => ComponentChildren;
}) {
  const { data, failed, waiting, reload } = loaded;
  if (data !== undefined) {
    return (
      <>
        {failed && <Failed failed={failed} onRetry={reload} />}
        {children(data)}
      </>
    );
  }
  if (failed) return <Failed failed={failed} onRetry={reload} />;
  return waiting ? <Rows count={rows} height={rowHeight} /> : <div style={{ minHeight: `${rows * rowHeight}px` }} />;
}

export function Rows({ count, height }: { count: number; height: number }) {
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, i) => (
        <div class="loading" key={i} style={{ height: `${height}px` }}>
          <i />
        </div>
      ))}
    </div>
  );
}

export function Failed({ failed, onRetry }: { failed: CallFailed; onRetry?: () => void }) {
  if (failed.code === "permission_denied") return <Denied what={failed.message} />;
  if (failed.status === 404) return <Gone />;
  return (
    <div class="state" role="alert">
      <Icon name="alert" tone="err" />
      <div>
        <p class="strong">{failed.message}</p>
        <p class="dim">
          <code>{failed.code}</code>
          {failed.requestId !== undefined && (
            <>
              {" · request "}
              <code>{failed.requestId}</code>
            </>
          )}
        </p>
      </div>
      {onRetry && (
        <button type="button" class="btn right" onClick={onRetry}>
          Retry
        </button>
      )}
    </div>
  );
}

/** Shown when the server refused access: the page stays, and the person is not redirected. */
export function Denied({ what }: { what: string }) {
  return (
    <div class="state" role="alert">
      <Icon name="shield" tone="warn" />
      <p class="strong">{what}</p>
    </div>
  );
}

/** Shown for "not found": the same words whether the thing does not exist or this person may not see it. */
export function Gone() {
  return (
    <div class="state" role="alert">
      <Icon name="search" />
      <div>
        <p class="strong">There is nothing here.</p>
        <p class="dim">It was deleted, or the address is not right.</p>
      </div>
      <a class="btn right" href="/">
        Go to the start
      </a>
    </div>
  );
}

/** An empty list: one sentence, one action, and one command to copy. */
export function Empty({
  children,
  action,
  command,
}: {
  children: ComponentChildren;
  action?: ComponentChildren;
  command?: string;
}) {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
      {command !== undefined && <CopyBlock text={command} />}
    </div>
  );
}
