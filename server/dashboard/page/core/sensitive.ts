import { signal } from "@preact/signals";
import { CallFailed } from "./api.ts";

/** The question for the password, while it waits for an answer. */
export const passwordAsked = signal<{ given: () => void; refused: () => void } | undefined>(undefined);

/**
 * Runs an action that may need the password again. The password is asked for over whatever form is open, and then the
 * action continues.
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
