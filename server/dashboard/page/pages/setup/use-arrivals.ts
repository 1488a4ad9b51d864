import { useEffect, useRef, useState } from "preact/hooks";
import type { RecentRequest } from "../../../../live/recent-requests.ts";
import { api, type CallFailed, done } from "../../core/api.ts";
import { useChanges } from "../../core/live.ts";
import { failureOf } from "../../core/load.ts";

/** So often a page asks again: other processes show their requests while somebody asks for them. */
const askAgainMilliseconds = 30_000;

/** The newest requests, loaded as soon as they arrive, because a person is waiting for them. */
export function useArrivals(): { items: readonly RecentRequest[]; failed: CallFailed | undefined; reload: () => void } {
  const [items, setItems] = useState<readonly RecentRequest[]>([]);
  const [failed, setFailed] = useState<CallFailed>();
  const state = useRef({ busy: false, again: false });

  async function load() {
    const { current } = state;
    current.again = current.busy;
    if (current.busy) return;
    current.busy = true;
    try {
      setItems((await done(api.arrivals.get())).items);
      setFailed(undefined);
    } catch (error) {
      setFailed(failureOf(error));
      current.again = false;
    } finally {
      current.busy = false;
    }
    if (current.again) void load();
  }

  useEffect(() => {
    void load();
    const asking = setInterval(() => void load(), askAgainMilliseconds);
    return () => clearInterval(asking);
  }, []);
  useChanges(["arrival"], () => void load());
  return { items, failed, reload: () => void load() };
}
