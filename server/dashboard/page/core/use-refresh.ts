import { useEffect, useRef } from "preact/hooks";

const pauseMilliseconds = 30_000;

/** Calls `look` twice a minute while `when` holds, for data that changes with time alone and without an event. */
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
