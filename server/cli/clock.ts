import { confirmClock, showClock } from "../core/confirm-clock.ts";
import { command } from "./command.ts";
import { withStore } from "./with-store.ts";

export const clockCommands = [
  command({
    name: "clock show",
    summary: "show whether the clock is trusted, so that old data may be deleted",
    example: "intake clock show",
    notes:
      "A clock is not trusted when it is ahead of the time that is known to have passed by more than the setting clock_gap_days. Until it is, no report, receipt, delivery or session is deleted for its age.",
    async run({ options, io }) {
      io.result(await withStore(options.data, (ctx) => showClock({ ctx })));
    },
  }),
  command({
    name: "clock confirm",
    summary:
      "confirm that the clock is right, for example after the machine was off for a long time; old data is deleted again",
    example: "intake clock confirm",
    notes:
      "Check the clock first: a running server deletes within seconds what is too old by this clock. The audit log records who confirmed it.",
    async run({ options, io }) {
      io.result(await withStore(options.data, (ctx) => confirmClock({ ctx })));
    },
  }),
];
