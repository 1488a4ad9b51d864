import { fields, shownText } from "./field-text.ts";

/** Each priority and its name, the highest first. */
export const priorities = Object.entries(fields.priority.choices ?? {});

export function PriorityPill({ priority }: { priority: string }) {
  if (priority === "none") return null;
  return <span class={`pill ${priorityLook[priority] ?? ""}`}>{priorityName(priority)}</span>;
}

const priorityLook: Record<string, string> = { high: "err", medium: "line", low: "line dim" };

export function priorityName(priority: string): string {
  return shownText("priority", priority);
}
