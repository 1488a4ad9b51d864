import { confirmClock, showClock } from "../core/confirm-clock.ts";
import { command } from "./command.ts";
import { withStore } from "./with-store.ts";

export const clockCommands = [
  command({
    name: "clock show",
    summary: "whether the clock is trusted enough to delete by age",
    example: "intake clock show",
    notes:
      "A clock that is ahead of the time that is known to have passed by more than the setting clock_gap_days is not trusted: reports, receipts, deliveries and sessions then stay, however old they look.",
    async run({ options, io }) {
      io.result(await withStore(options.data, (ctx) => showClock({ ctx })));
    },
  }),
  command({
    name: "clock confirm",
    summary: "say that the clock is right, after the machine was off for long; deleting by age goes on",
    example: "intake clock confirm",
    notes:
      "Look at the clock first: what has become too old by it is deleted within seconds of a running server. The audit log notes it.",
    async run({ options, io }) {
      io.result(await withStore(options.data, (ctx) => confirmClock({ ctx })));
    },
  }),
];
