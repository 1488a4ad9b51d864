import { StoreUnavailable } from "../core/store.ts";
import type { freeSpace } from "../store/free-space.ts";

/** 503 for reports only: the rest of the disk is for tickets and for deleting what is old enough. */
export class LowSpace extends StoreUnavailable {
  constructor() {
    super("little space is left on the disk");
  }
}

/** Throws {@link LowSpace} when less than min(5 % of the disk, 512 MiB) is free, before a byte of the body is read. */
export function refuseWhenDiskIsLow(space: ReturnType<typeof freeSpace>): undefined {
  if (space.low) throw new LowSpace();
}
