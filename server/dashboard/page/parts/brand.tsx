export function Brand() {
  return (
    <svg viewBox="0 0 24 24" fill="none" aria-hidden="true">
      <path
        d="M3 4.5A1.5 1.5 0 0 1 4.5 3h15A1.5 1.5 0 0 1 21 4.5V9a3 3 0 0 0 0 6v4.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 19.5V15a3 3 0 0 0 0-6z"
        fill="var(--accent)"
      />
      <path
        d="M12 6.5v8.3m0 0-3.3-3.3m3.3 3.3 3.3-3.3M8 17.8h8"
        stroke="var(--on-accent)"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
