import { useEffect, useRef } from "preact/hooks";

const pauseMilliseconds = 30_000;

/** Calls `look` twice a minute while `when` holds, for what changes as time passes and is announced by nobody. */
export function useRefresh(look: () => void, when: boolean) {
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    if (!when) return;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, pauseMilliseconds);
    return () => clearInterval(timer);
  }, [when]);
}
