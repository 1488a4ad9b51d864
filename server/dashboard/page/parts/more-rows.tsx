/** The button below a list that has further rows. */
export function MoreRows({ more, busy }: { more: (() => void) | undefined; busy: boolean }) {
  if (!more) return null;
  return (
    <button type="button" class="btn more-rows" onClick={more} disabled={busy}>
      Show more
    </button>
  );
}
