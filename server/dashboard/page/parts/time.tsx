import { ago, bothClocks } from "../core/time.ts";

/** How long ago, with both clocks for whoever points at it. */
export function Ago({
  at,
  class: name,
  words = false,
}: {
  at: string | number;
  class?: string;
  /** "12 s ago" in place of "12 s". */
  words?: boolean;
}) {
  const text = ago(at);
  return (
    <time dateTime={new Date(at).toISOString()} title={bothClocks(at)} class={name}>
      {text}
      {words && /^\d+ [smhd]$/.test(text) && " ago"}
    </time>
  );
}
