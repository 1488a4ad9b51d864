import { limits } from "../../openapi/schema/limits.ts";
import type { RunLog } from "../../openapi/schema/runner.ts";
import { type Context, Refusal } from "../core/context.ts";
import { type LeaseInput, leasedRunStep } from "./leased-run.ts";
import { isHeld } from "./run.ts";
import { runChanged } from "./run-changed.ts";
import { changeStep } from "./transition.ts";

interface AppendInput extends LeaseInput {
  /** Where the text begins in the log of this attempt, in bytes of UTF-8. */
  offset: number;
  text: string;
}

/**
 * Appends to the log of the run's current attempt. Bytes before the end of the log are skipped, so a repeat is harmless.
 * A text that would leave a gap is refused with `log_gap`, which carries the length of the log. Text beyond the 5 MiB of
 * a run is discarded and answered as `truncated`.
 */
export async function appendRunLog({ ctx, input }: { ctx: Context; input: AppendInput }): Promise<RunLog> {
  const now = ctx.now();
  const bytes = Buffer.from(input.text);
  const { id, ...answer } = await ctx.store.write(function* (tx) {
    const run = yield* leasedRunStep(tx, input);
    const cancelled = run.state === "cancelled" && run.lease_until !== null;
    if (!cancelled && (!isHeld(run.state) || (run.lease_until ?? 0) <= now)) throw new Refusal("lease_lost");
    if (input.offset > run.log_length) {
      throw new Refusal("log_gap", `The log has ${run.log_length} bytes. Send from there.`, { length: run.log_length });
    }
    const fresh = bytes.subarray(Math.min(bytes.length, run.log_length - input.offset));
    const room = Math.max(0, limits.runLogBytes - run.log_kept);
    const kept = wholeCharacters(fresh, room);
    if (kept.length > 0) {
      yield* tx.run(
        `insert into run_log (run_id, number, attempt, at_byte, at, text)
         values ($1, (select coalesce(max(number), 0) + 1 from run_log where run_id in ($1)), $2, $3, $4, $5)`,
        [run.id, run.attempt, run.log_length, now, kept.toString("utf8")],
      );
    }
    const length = run.log_length + fresh.length;
    const truncated = kept.length < fresh.length || room === 0;
    yield* changeStep(tx, run, {
      log_length: length,
      log_kept: run.log_kept + kept.length,
      heartbeat_at: now,
    });
    return { id: run.id, length, truncated };
  });
  await runChanged(ctx, id);
  return answer;
}

/** The beginning of UTF-8 text: at most `maxBytes`, cut at the end of a character. */
function wholeCharacters(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
