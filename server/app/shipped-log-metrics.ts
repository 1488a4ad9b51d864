import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";
import type { LogCounts } from "../backup/log-shipping.ts";

/** Metrics of the log that is shipped to the backup target; their values are read when somebody reads the metrics. */
export function watchShippedLog(registry: Registry, counts: () => LogCounts) {
  new Gauge({
    name: "intake_backup_log_behind_seconds",
    help: "Time of which nothing is in the backup target yet, while the log is shipped there (backup_log).",
    registers: [registry],
    collect() {
      const { behindSeconds } = counts();
      if (behindSeconds === undefined) this.remove();
      else this.set(behindSeconds);
    },
  });
  new Gauge({
    name: "intake_backup_log_kept",
    help: "1 while the log is kept for the backup target, 0 while it cannot be; left out without backup_log.",
    registers: [registry],
    collect() {
      const { kept } = counts();
      if (kept === undefined) this.remove();
      else this.set(kept ? 1 : 0);
    },
  });
  for (const [name, help, member] of [
    ["intake_backup_log_segments_total", "Segments of the log that were shipped to the backup target.", "segments"],
    ["intake_backup_log_bytes_total", "Bytes of the segments that were shipped.", "bytes"],
    ["intake_backup_log_gaps_total", "Times that the log could not go on, so that a new one began.", "gaps"],
    ["intake_backup_log_failures_total", "Segments that could not be shipped at first.", "failures"],
  ] as const) {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(counts()[member]);
      },
    });
  }
}
