import type { KnownError } from "../core/known-error.ts";
import type { appendRunLogErrors } from "../generated/contract.ts";
import type { components } from "../generated/schema.ts";
import type { Known } from "../types.ts";

type Schemas = components["schemas"];

/** The machine that executes runs, as people see it. */
export type RunnerInfo = Schemas["ClaimRun"]["runner"];

/** A run: its state, its branch, its credits. */
export type Run = Known<Schemas["Run"]>;

/** The ticket that a run works on. */
export type RunTicket = Known<Schemas["RunTicket"]>;

/** The repository that a run works against. */
export type RunRepository = Known<Schemas["RunRepository"]>;

/** What a claim answers. */
export type Claim = Omit<Known<Schemas["ClaimedRun"]>, "run" | "ticket" | "repository"> & {
  run: Run;
  ticket: RunTicket;
  repository?: RunRepository;
};

/** What a heartbeat tells: what the run does, and the credits that it has used so far. */
export type Heartbeat = Omit<Known<Schemas["RunHeartbeat"]>, "leaseToken">;

/** What a heartbeat answers: whether to stop, and the credits that are left. */
export type Lease = Known<Schemas["RunLease"]>;

/** Where the log ends now, and whether some of it was too much to keep. */
export type RunLog = Known<Schemas["RunLog"]>;

/** How a run ended. */
export type Completion = Omit<Known<Schemas["CompleteRun"]>, "leaseToken">;

/** `succeeded`, `failed` or `cancelled`. */
export type RunOutcome = Completion["outcome"];

/**
 * What {@link ApiError.code} can be when runs are executed, as a union to switch over. `lease_lost` and `not_found`: the
 * run is not yours any more.
 */
export type RunError = KnownError<typeof appendRunLogErrors>;
