import type { ComponentChildren } from "preact";
import { exact } from "../core/time.ts";
import { Icon } from "./icon.tsx";

/** The first line of everything stored: that it is stored, when (to the millisecond), and by whom. */
export function Receipt({
  stamp,
  at,
  fresh = false,
  children,
}: {
  /** "Created once", "Stored once" */
  stamp: string;
  at: string | number;
  fresh?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <p class={`receipt${fresh ? " fresh" : ""}`}>
      <span class="stamp">
        <Icon name="check" />
        {stamp}
      </span>
      <time dateTime={new Date(at).toISOString()} title="UTC">
        {exact(at)}
      </time>
      {children}
    </p>
  );
}
