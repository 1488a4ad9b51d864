import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorReport } from "../ingest/envelope.ts";
import { output } from "../output.ts";
import { progress } from "../progress.ts";
import { freshFolder } from "../scratch.ts";
import { healthy, type Receivers } from "./receiving.ts";

export interface Posts {
  name: string;
  perSecond: number;
  cpuMicrosecondsPerPost: number;
}

export async function measureBare(receivers: Receivers, seconds: number): Promise<Posts> {
  progress("bare loop");
  const file = join(freshFolder("bare"), "body");
  writeFileSync(file, errorReport(1));
  const addresses = await Promise.all(healthy.map((path) => receivers.addressOf(path)));
  const said = await output([process.execPath, join(import.meta.dir, "bare.ts"), String(seconds), file, ...addresses]);
  const { posts, cpuMicroseconds } = JSON.parse(said) as { posts: number; cpuMicroseconds: number };
  return {
    name: "bare node:http",
    perSecond: posts / seconds,
    cpuMicrosecondsPerPost: cpuMicroseconds / posts,
  };
}
