import { initials } from "../core/format.ts";
import { Icon } from "./icon.tsx";

export type ActorKind = "member" | "agent" | "token" | "operator" | "system";

/** An actor, in the shape of its kind: a person a circle, the agent a hexagon, a token a stub, the system a square. */
export function Who({ kind, name, big = false }: { kind: ActorKind; name: string; big?: boolean }) {
  const size = big ? " big" : "";
  if (kind === "member") {
    return (
      <span class={`who person ${toneOf(name)}${size}`} title={name} aria-hidden="true">
        {initials(name)}
      </span>
    );
  }
  const shape = kind === "agent" ? "agent" : kind === "token" ? "token" : "system";
  return (
    <span class={`who ${shape}${size}`} title={name} aria-hidden="true">
      <Icon name={kind === "agent" ? "agent" : kind === "token" ? "ticket" : "disk"} />
    </span>
  );
}

/** One of three colours, always the same for a name. */
function toneOf(name: string): string {
  let sum = 0;
  for (const letter of name) sum += letter.codePointAt(0) ?? 0;
  return ["", "tone-b", "tone-c"][sum % 3] ?? "";
}
