import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

export function Note({
  tone = "warn",
  action,
  children,
}: {
  tone?: "warn" | "err" | "info" | "ok";
  /** A button at the end of the note. */
  action?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class={`note${tone === "warn" ? "" : ` ${tone}`}`} role={tone === "err" ? "alert" : undefined}>
      <Icon name={tone === "ok" ? "check" : tone === "info" ? "info" : "alert"} />
      <span>{children}</span>
      {action}
    </div>
  );
}
