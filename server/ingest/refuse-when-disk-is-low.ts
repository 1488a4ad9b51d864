import { StoreUnavailable } from "../core/store.ts";
import type { freeSpace } from "../store/free-space.ts";

/** The refusal 503 of reports while the disk is nearly full: the rest of the disk is for tickets and for deletes. */
export class LowSpace extends StoreUnavailable {
  constructor() {
    super("little space is left on the disk");
  }
}

/** Throws {@link LowSpace} when less than min(5 % of the disk, 512 MiB) is free, before a byte of the body is read. */
export function refuseWhenDiskIsLow(space: ReturnType<typeof freeSpace>): undefined {
  if (space.low) throw new LowSpace();
}
