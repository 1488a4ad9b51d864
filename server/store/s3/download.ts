import { Failure, ObjectStorageUnavailable } from "./failure.ts";

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** How often a download that was cut is continued. */
const continuedMax = 2;

/**
 * Bytes `start` to `end` of an object as a stream that reads no further than its consumer. `first` is the answer from
 * `start` on; when an answer is cut, or nothing more comes for so many milliseconds, `open` asks for the rest.
 */
export function downloadStream(
  { start, end, milliseconds }: { start: number; end: number; milliseconds: number },
  first: Bytes,
  open: (start: number) => Promise<Bytes>,
): Bytes {
  let at = start;
  let continued = 0;
  let reader = first.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        for (;;) {
          try {
            const { done, value } = await within(milliseconds, reader.read());
            if (value && at + value.length <= end) {
              at += value.length;
              controller.enqueue(value);
              if (at === end) controller.close();
              return;
            }
            if (!done) throw new Failure("object storage sent more than it was asked for");
          } catch (error) {
            if (error instanceof Failure && !error.passing) throw error;
          }
          void reader.cancel().catch(() => {});
          if (continued++ === continuedMax) throw new ObjectStorageUnavailable("object storage cuts off its answers");
          reader = (await open(at)).getReader();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Failure("object storage sends nothing", { passing: true })),
    milliseconds,
  );
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
