/** Small pips for lists: what failed, whether it arrived, whether more follows. */
export function Pips({ failed, delivered, next }: { failed: number; delivered: boolean; next: boolean }) {
  const told = [failed > 0 ? `${failed} failed` : "", delivered ? "delivered" : "", next ? "one to come" : ""].filter(
    Boolean,
  );
  const shown = Math.min(failed, shownMax);
  return (
    <span class="pips" role="img" aria-label={`Attempts: ${told.join(", ") || "none"}`}>
      {Array.from({ length: shown }, (_, i) => (
        <i key={i} class="x" />
      ))}
      {delivered && <i class="v" />}
      {next && <i class="n" />}
    </span>
  );
}

/** As many as the schedule has. */
const shownMax = 10;
