import type { ErrorBody, ErrorCode } from "../../openapi/schema/errors.ts";
import { errors } from "../../openapi/schema/errors.ts";
import type { RecordedAct } from "./audit.ts";
import type { ChangeEvent } from "./change-event.ts";
import type { Cutoff } from "./cutoff.ts";
import type { Step, Store, Tx } from "./store.ts";

/** Who acts. The operator is the command line on the machine itself: it needs no role. */
export type Actor =
  | { kind: "operator"; name: string }
  | { kind: "member"; id: string; name: string; role: "admin" | "member" }
  | { kind: "token"; id: string; name: string }
  /** The AI agent, as the actor of what happens to its runs. */
  | { kind: "agent"; id: string; name: string };

/** What every use case receives beside its input: `verb({ ctx, input })`. */
export interface Context {
  store: Store;
  actor: Actor;
  /** Epoch milliseconds. */
  now: () => number;
  /** The time before which rows are too old to be kept. Absent beside a server, where the clock is trusted as it is. */
  cutoff?: Cutoff;
  /** A new UUIDv7, above every one made before. */
  newId: () => string;
  publicUrl: PublicUrl;
  /** Tells open pages what was just stored; absent where no page can listen. */
  changed?: (change: ChangeEvent) => void;
  /** Enqueues what subscribers are told of an entry of the audit log, in the transaction that writes the entry. */
  audited: (tx: Tx, act: RecordedAct) => Step<void>;
  /** Where a member's request came from, cut like the source of a report: for the audit log. */
  network?: string;
  /** Id of the request that is answered, as in the header `X-Request-Id`. */
  requestId?: string;
}

/** Where people reach this installation: `fixed` by flag or environment, else the setting, else `fallback`. */
export interface PublicUrl {
  fixed?: string | undefined;
  fallback: string;
}

/** What a use case throws when it refuses. The code decides the status and the default message. */
export class Refusal extends Error {
  override name = "Refusal";
  constructor(
    readonly code: ErrorCode,
    message: string = errors[code].message,
    /** Further members of the error answer. */
    readonly members: Omit<ErrorBody, "error" | "message"> = {},
    /** A reason for logs and metrics, from a closed set; the caller never sees it. */
    readonly reason?: string,
  ) {
    super(message);
  }
}

/** First line of every administrative use case (every token operation requires the admin role). */
export function requireAdmin({ actor }: Context) {
  if (actor.kind === "operator") return;
  if (actor.kind !== "member" || actor.role !== "admin") throw new Refusal("permission_denied");
}

/** First line of what every member may do; tokens are for the API only. */
export function requireMember({ actor }: Context) {
  if (actor.kind === "token") throw new Refusal("permission_denied");
}

export const operator: Actor = { kind: "operator", name: "command line" };
