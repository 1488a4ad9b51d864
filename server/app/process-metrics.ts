import { readdirSync, readFileSync } from "node:fs";
import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";

/** `process_*` under the names that Prometheus' client libraries have agreed on; some of them are there on Linux only. */
export function watchProcess(registry: Registry) {
  const startedAt = Date.now() / 1_000 - process.uptime();
  const registers = [registry];
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time that the process has used, in all its threads.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1_000_000);
    },
  });
  gauge("process_start_time_seconds", "When the process began, in seconds since 1970.", () => startedAt);
  gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge("process_virtual_memory_bytes", "Virtual memory.", () => {
    return 1_024 * Number(/^VmSize:\s+(\d+) kB$/m.exec(read("status"))?.[1]);
  });
  gauge("process_open_fds", "Open files and sockets.", () => readdirSync(`${procSelf}/fd`).length);
  gauge("process_max_fds", "How many may be open.", () => {
    return Number(/^Max open files\s+(\d+)/m.exec(read("limits"))?.[1]);
  });

  /** A gauge that is left out where the system does not have its value. */
  function gauge(name: string, help: string, value: () => number) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const now = finiteOrNone(value);
        if (now === undefined) this.remove();
        else this.set(now);
      },
    });
  }
}

const procSelf = "/proc/self";

function read(name: string): string {
  return readFileSync(`${procSelf}/${name}`, "utf8");
}

function finiteOrNone(value: () => number): number | undefined {
  try {
    const now = value();
    return Number.isFinite(now) ? now : undefined;
  } catch {
    return undefined;
  }
}
