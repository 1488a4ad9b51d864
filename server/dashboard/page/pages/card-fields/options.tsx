import { repositoryName } from "../../core/format.ts";
import { Icon } from "../../parts/icon.tsx";
import type { Option } from "../../parts/pick.tsx";
import { Who } from "../../parts/who.tsx";
import type { ProjectDetail } from "../board/project.ts";
import { PriorityPill, priorities } from "./priority.tsx";

/** The possible assignees: members and, for people who may start runs, the agent. Tokens are not members. */
export function assigneeOptions({ members, agent }: Pick<ProjectDetail, "members" | "agent">): Option[] {
  return [
    { id: "", label: "Nobody", icon: <Icon name="x" /> },
    ...members
      .filter(({ role }) => role !== "agent" || agent?.mayStart)
      .map(({ id, name, role }) => ({
        id,
        label: name,
        icon: <Who kind={role === "agent" ? "agent" : "member"} name={name} />,
        ...(role === "agent" ? { hint: "queues a run" } : {}),
      })),
  ];
}

export const priorityOptions: readonly Option[] = priorities.map(([id, label]) => ({
  id,
  label,
  icon: <PriorityPill priority={id} />,
}));

export function repositoryOptions({ repositories }: Pick<ProjectDetail, "repositories">): Option[] {
  return [
    { id: "", label: "None", icon: <Icon name="x" /> },
    ...repositories.map(({ id, url }) => ({ id, label: repositoryName(url), icon: <Icon name="branch" />, hint: url })),
  ];
}
