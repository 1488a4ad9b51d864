import { realWorker } from "./real-worker.ts";

/**
 * Says when it is ready, sends what is due in a data directory until stdin ends, and then says how many attempts it has
 * settled, by state.
 */
const counts: Record<string, number> = {};
const { worker, stop } = await realWorker(process.argv[2] ?? "", {
  now: () => Date.now(),
  settled: ({ state }) => {
    counts[state] = (counts[state] ?? 0) + 1;
  },
});
await worker.start({ alone: false });
process.stdout.write("ready\n");
for await (const _ of process.stdin);
await stop();
process.stdout.write(JSON.stringify(counts));
process.exit(0);
