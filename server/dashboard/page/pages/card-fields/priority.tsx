export const priorities = ["high", "medium", "low", "none"] as const;
export type Priority = (typeof priorities)[number];

export function PriorityPill({ priority }: { priority: string }) {
  if (priority === "none") return null;
  return <span class={`pill ${priorityLook[priority] ?? ""}`}>{priorityWords[priority] ?? priority}</span>;
}

const priorityLook: Record<string, string> = { high: "err", medium: "line", low: "line dim" };
export const priorityWords: Record<string, string> = { high: "High", medium: "Medium", low: "Low", none: "None" };
