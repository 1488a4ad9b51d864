import type { KnownError } from "../core/known-error.ts";
import type { appendRunLogErrors } from "../generated/contract.ts";
import type { components } from "../generated/schema.ts";
import type { Known } from "../types.ts";

type Schemas = components["schemas"];

/** Name, version and labels of a machine that executes runs, as the dashboard shows them. */
export type RunnerInfo = Schemas["ClaimRun"]["runner"];

/** A run with its state, branch and credits. */
export type Run = Known<Schemas["Run"]>;

/** The ticket that a run works on. */
export type RunTicket = Known<Schemas["RunTicket"]>;

/** The repository that a run works against. */
export type RunRepository = Known<Schemas["RunRepository"]>;

/** Answer to a claim. */
export type Claim = Omit<Known<Schemas["ClaimedRun"]>, "run" | "ticket" | "repository"> & {
  run: Run;
  ticket: RunTicket;
  repository?: RunRepository;
};

/** Body of a heartbeat: what the run is doing, and the credits that it has used so far. */
export type Heartbeat = Omit<Known<Schemas["RunHeartbeat"]>, "leaseToken">;

/** Answer to a heartbeat: whether to stop, and how many credits are left. */
export type Lease = Known<Schemas["RunLease"]>;

/** Length of the log in bytes, and whether text beyond its limit was discarded. */
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
