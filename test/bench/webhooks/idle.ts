import { cpuMicroseconds, residentBytes } from "../process-stats.ts";
import { progress } from "../progress.ts";

const quietMilliseconds = 2_000;
const idleSeconds = 20;

export interface Idle {
  name: string;
  /** Of one core, in per cent. */
  cpuPercent: number;
  residentBytes: number;
}

/** What a server takes that has nothing to send. */
export async function measureIdle(name: string, pid: number): Promise<Idle> {
  progress(`idle: ${name}`);
  await Bun.sleep(quietMilliseconds);
  const [cpuBefore, began] = [cpuMicroseconds(pid), performance.now()];
  await Bun.sleep(idleSeconds * 1000);
  const cpu = cpuMicroseconds(pid) - cpuBefore;
  return { name, cpuPercent: cpu / 10 / (performance.now() - began), residentBytes: residentBytes(pid) };
}
