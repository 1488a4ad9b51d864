import { isUuid } from "../../openapi/check.ts";
import { showBoard } from "../boards/show-board.ts";
import type { Context } from "../core/context.ts";
import { readFilter } from "../tickets/card-filter.ts";
import { boardAddress, callQueryOf, filterIn } from "./board-filter.ts";
import { dataBlock } from "./data-block.ts";

/** Bytes of a board that a document carries at most. The page loads a larger one itself. */
const bytesMax = 256_000;
/** For this long no document is made with a board that was too large: the board would be read twice. */
const largeMilliseconds = 600_000;
const largeMax = 1_000;

/** Ids of boards that were too large, each with the time from which it is tried again. */
const large = new Map<string, number>();

/**
 * The data block with the first call that the page of a board makes, and its answer. Empty when the page has to make the
 * call itself, which also tells why a board cannot be shown.
 */
export async function initialBoard(ctx: Context, board: string, request: Request): Promise<string> {
  const id = board.toLowerCase();
  const now = ctx.now();
  if (!isUuid(id) || (large.get(id) ?? 0) > now) return "";
  const { today, doneDays } = viewOf(request, now);
  const address = boardAddress(board, callQueryOf(filterIn(queryOf(request.url)), today, doneDays));
  try {
    const answer = await showBoard({ ctx, input: { id, filter: readFilter(queryOf(address), now) } });
    const block = dataBlock("answer", { address, answer });
    if (Buffer.byteLength(block) <= bytesMax) return block;
  } catch {
    return "";
  }
  if (large.size >= largeMax) large.clear();
  large.set(id, now + largeMilliseconds);
  return "";
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split("?")[1]?.split("#")[0] ?? "");
}

/**
 * The reader's day, and the days for which done cards are shown, by a cookie of the page: minutes from UTC to the
 * reader's time, and the days. A page without the cookie, or with an older one, makes another call than the one that is
 * answered here, so it loads the board itself.
 */
function viewOf({ headers }: Request, now: number): { today: string; doneDays: number | null } {
  const cookie = /(?:^|;\s*)intake_view=(-?\d{1,3})\.(\d{0,3})(?:;|$)/.exec(headers.get("cookie") ?? "");
  const [, minutes = "0", days = ""] = cookie ?? [];
  const today = new Date(now + Number(minutes) * 60_000).toISOString().slice(0, 10);
  return { today, doneDays: days === "" ? null : Number(days) };
}
