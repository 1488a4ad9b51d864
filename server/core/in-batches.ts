/** A pause between two batches, in which other writes have their turn, also those of a server beside this process. */
const pauseMilliseconds = 5;

/** Repeats a step of some hundred rows until it finds none; returns how many there were in all. */
export async function inBatches(
  step: () => Promise<number>,
  progress: (done: number) => void | Promise<void> = () => {},
): Promise<number> {
  let done = 0;
  for (let some = await step(); some > 0; some = await step()) {
    done += some;
    await progress(done);
    await Bun.sleep(pauseMilliseconds);
  }
  return done;
}
