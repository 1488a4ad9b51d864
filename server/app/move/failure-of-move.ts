import { StoreUnavailable } from "../../core/store.ts";
import { isConstraint, troubleOf } from "../../store/postgres/errors.ts";
import { MoveRefused } from "./move-refused.ts";

/** What a failure in the middle of a move says to an operator. */
export function failureOfMove(error: unknown): unknown {
  const trouble = error instanceof StoreUnavailable ? error.message : troubleOf(error);
  if (trouble !== undefined && !(error instanceof MoveRefused)) {
    return new MoveRefused(
      `${trouble}. What was moved is kept: run the same command again, and it goes on from there`,
      {
        cause: error,
      },
    );
  }
  if (!isConstraint(error)) return error;
  return new MoveRefused(
    `the target refuses a row (${(error as Error).message}). The source was left as it is: run intake doctor there, give the move up at both ends, and begin with an empty target`,
    { cause: error },
  );
}
