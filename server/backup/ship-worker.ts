import { constants, setPriority } from "node:os";
import { openTarget } from "./open-target.ts";
import type { SegmentName } from "./segment-name.ts";
import { SegmentShipper } from "./ship-segments.ts";

/** The thread that compresses segments of the log and brings them to the backup target. */
declare const self: Worker;

/** A target that failed is tried again after this time. */
const againMilliseconds = 5_000;

export type ShipEvent = { shipped: SegmentName } | { failed: string } | "stopped";

let shipper: SegmentShipper | undefined;
let working = false;
let wanted = false;
let stopping = false;
let timer: Timer | undefined;

self.onmessage = ({ data }: MessageEvent<{ data: string; to: string } | "wake" | "stop">) => {
  if (data === "stop") stopping = true;
  else if (data !== "wake") {
    lowerPriority();
    try {
      shipper = new SegmentShipper(data.data, openTarget(data.to));
    } catch (error) {
      return tell({ failed: (error as Error).message });
    }
  }
  void work();
};

async function work() {
  wanted = true;
  if (working) return;
  working = true;
  clearTimeout(timer);
  try {
    while (wanted) {
      wanted = false;
      for (;;) {
        const segment = await shipper?.next();
        if (!segment) break;
        tell({ shipped: segment });
      }
    }
  } catch (error) {
    tell({ failed: (error as Error).message });
    if (!stopping) timer = setTimeout(() => void work(), againMilliseconds);
  }
  working = false;
  if (stopping) tell("stopped");
}

/** On Linux the priority is that of the thread: those who send tickets come first. */
function lowerPriority() {
  try {
    if (process.platform === "linux") setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
}

function tell(event: ShipEvent) {
  self.postMessage(event);
}
