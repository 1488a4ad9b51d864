import { lazyDialog } from "../../parts/lazy.tsx";
import type { AssignAgentProps } from "./assign-agent.tsx";
import type { MoveToProps } from "./move-to.tsx";

export const AssignAgent = lazyDialog<AssignAgentProps>(() => import("./assign-agent.tsx"));
export const MoveTo = lazyDialog<MoveToProps>(() => import("./move-to.tsx"));
