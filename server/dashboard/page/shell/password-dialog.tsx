import { passwordAsked } from "../core/sensitive.ts";
import { lazyDialog } from "../parts/lazy.tsx";
import type { PasswordQuestionProps } from "./password-question.tsx";

const PasswordQuestion = lazyDialog<PasswordQuestionProps>(() => import("./password-question.tsx"));

/** The question for the password, on every page, while a call waits for it. */
export function PasswordDialog() {
  const question = passwordAsked.value;
  return question ? <PasswordQuestion given={question.given} onClose={question.refused} /> : null;
}
