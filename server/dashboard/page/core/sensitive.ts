import { signal } from "@preact/signals";
import { CallFailed } from "./api.ts";

/** The question for the password, while somebody waits for its answer. */
export const passwordAsked = signal<{ given: () => void; refused: () => void } | undefined>(undefined);

/**
 * Does what may need the password again: it is asked for in place, over whatever form is open, and the act goes on as
 * if nothing had been asked.
 */
export async function sensitive<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof CallFailed) || error.code !== "password_required") throw error;
    const answer = Promise.withResolvers<void>();
    passwordAsked.value = { given: answer.resolve, refused: () => answer.reject(error) };
    try {
      await answer.promise;
    } finally {
      passwordAsked.value = undefined;
    }
    return act();
  }
}
