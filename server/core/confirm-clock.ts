import { audit } from "./audit.ts";
import { markOf, readClockMark, readNewestTime, setClockMarkStep } from "./clock-mark.ts";
import { type Context, Refusal, requireAdmin } from "./context.ts";
import { judgeClock, type MachineTime, machineTime } from "./judge-clock.ts";
import { releaseDate } from "./release-date.ts";
import { readSettings } from "./settings.ts";

interface Input {
  ctx: Context;
  machine?: MachineTime;
}

interface ClockView {
  now: string;
  /** What the clock would show if no more time had passed than is known. */
  expected: string;
  trusted: boolean;
}

export async function showClock({ ctx, machine = machineTime() }: Input): Promise<ClockView> {
  requireAdmin(ctx);
  const [mark, { clock_gap_days }] = await Promise.all([readClockMark(ctx.store), readSettings(ctx.store)]);
  const newestRow = await readNewestTime(ctx.store);
  const { trusted, expected } = judgeClock(machine, { mark, newestRow, gap: clock_gap_days * 86_400_000 });
  return { now: new Date(machine.now).toISOString(), expected: new Date(expected).toISOString(), trusted };
}

/** Confirms that the clock is right: rows that are old by this clock are deleted from the next round on. */
export async function confirmClock({ ctx, machine = machineTime() }: Input): Promise<ClockView> {
  requireAdmin(ctx);
  const now = new Date(machine.now).toISOString();
  if (machine.now < releaseDate) {
    const made = new Date(releaseDate).toISOString().slice(0, 10);
    throw new Refusal("invalid_input", `the clock shows ${now}, before this program was made (${made}): set it right`);
  }
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    yield* setClockMarkStep(tx, markOf(machine));
    yield* audit(tx, ctx, auditId, "clock.confirm", "clock", { to: now });
  });
  return { now, expected: now, trusted: true };
}
