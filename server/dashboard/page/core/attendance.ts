/** After so long without a touch nobody is taken to be at the page. */
const awayMilliseconds = 5 * 60_000;

let touched = Date.now();

/** Notes when somebody uses the page, from its first moment on. */
export function watchAttendance() {
  const touch = () => {
    touched = Date.now();
  };
  for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"] as const) {
    addEventListener(kind, touch, { capture: true, passive: true });
  }
}

/**
 * Tells the server of a read that the page makes by itself, because something has changed, while nobody is there: it
 * does not keep the session alive.
 */
export function attendance(): Record<string, string> {
  return Date.now() - touched > awayMilliseconds ? { "x-intake-unattended": "1" } : {};
}
