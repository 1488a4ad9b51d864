import type { ComponentChildren } from "preact";
import { whole } from "../../core/format.ts";
import type { Tone } from "./stacks.ts";

interface Share {
  key: string;
  name: ComponentChildren;
  count: number;
  tone?: Tone;
  /** Text beside the number. */
  note?: ComponentChildren;
}

/** Counts of a few kinds as horizontal bars. Names and numbers are text, so screen readers need nothing else. */
export function Shares({ shares, none }: { shares: readonly Share[]; none: string }) {
  const top = Math.max(1, ...shares.map(({ count }) => count));
  if (shares.length === 0) return <p class="dim box-body">{none}</p>;
  return (
    <ul class="shares">
      {shares.map(({ key, name, count, tone = "accent", note }) => (
        <li key={key}>
          <span class="ellipsis">{name}</span>
          <span class="track" aria-hidden="true">
            <i class={`swatch ${tone}`} style={{ width: `${(count / top) * 100}%` }} />
          </span>
          <span class="digits">{whole(count)}</span>
          {note !== undefined && <small class="dim">{note}</small>}
        </li>
      ))}
    </ul>
  );
}
