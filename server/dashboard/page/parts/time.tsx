import { ago, agoInWords, bothClocks } from "../core/time.ts";

/** How long ago something was. Pointing at it shows the time in the local zone and in UTC. */
export function Ago({
  at,
  class: name,
  words = false,
}: {
  at: string | number;
  class?: string;
  /** The time as part of a sentence: "12 s ago", "just now", "on 21 Nov". */
  words?: boolean;
}) {
  const text = words ? agoInWords(at) : ago(at);
  return (
    <time dateTime={new Date(at).toISOString()} title={bothClocks(at)} class={name}>
      {text}
    </time>
  );
}
