/** Small marks for lists of deliveries: failed attempts, whether it was delivered, whether another attempt follows. */
export function AttemptDots({ failed, delivered, next }: { failed: number; delivered: boolean; next: boolean }) {
  const summary = [
    failed > 0 ? `${failed} failed` : "",
    delivered ? "delivered" : "",
    next ? "one to come" : "",
  ].filter(Boolean);
  const shown = Math.min(failed, shownMax);
  return (
    <span class="attempt-dots" role="img" aria-label={`Attempts: ${summary.join(", ") || "none"}`}>
      {Array.from({ length: shown }, (_, i) => (
        <i key={i} class="failed" />
      ))}
      {delivered && <i class="delivered" />}
      {next && <i class="next" />}
    </span>
  );
}

/** The most marks: the number of attempts in the schedule. */
const shownMax = 10;
