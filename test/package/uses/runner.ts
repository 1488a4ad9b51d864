import {
  ClaimedRun,
  type Completion,
  type Heartbeat,
  type IntakeRunner,
  isApiError,
  type Lease,
  type Run,
  type RunError,
  type RunLog,
  type RunnerInfo,
  type RunnerOptions,
} from "@intake/client/runner";

/** Every option, and every optional one set to undefined. */
export const options: RunnerOptions[] = [
  { url: "https://intake.example.org", token: "itk_" },
  { url: "https://intake.example.org", token: async () => "itk_", timeoutMs: 1_000, maxRetries: 0 },
  { url: "https://intake.example.org", token: "itk_", fetch: undefined, logger: undefined, deadlineMs: undefined },
];

const machine: RunnerInfo = { name: "build-3", version: "1.4.0", labels: ["linux"] };

export async function execute(runner: IntakeRunner): Promise<Run | undefined> {
  const run = await runner.claim({ runner: machine, waitSeconds: 0, signal: undefined });
  if (!(run instanceof ClaimedRun)) return undefined;
  const beat: Heartbeat = { progress: "Working", creditsUsed: 1 };
  const lease: Lease = await run.heartbeat(beat);
  const log: RunLog = await run.appendLog(`${run.ticket.title} ${run.ticket.description ?? ""} ${run.repository?.url}`);
  const completion: Completion = {
    outcome: lease.cancelRequested ? "cancelled" : "succeeded",
    summary: `${log.length} bytes${log.truncated ? " and more" : ""}`,
    creditsUsed: lease.creditsLeft ?? 0,
  };
  return run.complete(completion, { deadlineMs: 1_000 });
}

/** Every code has its case; a code of a newer server reaches `default`. */
export function advice(error: unknown): string {
  if (!isApiError<RunError>(error)) return "not ours";
  switch (error.code) {
    case "lease_lost":
    case "log_gap": {
      const status: 409 = error.status;
      return `stop: ${status}`;
    }
    case "not_found":
      return "gone";
    default:
      return error.message;
  }
}

export function mistakes(runner: IntakeRunner, run: ClaimedRun): unknown[] {
  return [
    // @ts-expect-error no runner
    () => runner.claim({ waitSeconds: 1 }),
    // @ts-expect-error no labels
    () => runner.claim({ runner: { name: "a", version: "1" } }),
    // @ts-expect-error no outcome
    () => run.complete({ creditsUsed: 1 }),
    // @ts-expect-error an outcome that is none
    () => run.complete({ outcome: "done", creditsUsed: 1 }),
    // @ts-expect-error a mistyped member
    () => run.heartbeat({ creditUsed: 1 }),
    // @ts-expect-error the lease is the client's own matter
    () => run.heartbeat({ leaseToken: "" }),
  ];
}
