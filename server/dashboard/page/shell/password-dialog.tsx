import { passwordAsked } from "../core/sensitive.ts";
import { lazyDialog } from "../parts/lazy.tsx";
import type { PasswordQuestionProps } from "./password-question.tsx";

const PasswordQuestion = lazyDialog<PasswordQuestionProps>(() => import("./password-question.tsx"));

/** The question for the password, on every page, while a call waits for it. */
export function PasswordDialog() {
  const asked = passwordAsked.value;
  return asked ? <PasswordQuestion given={asked.given} onClose={asked.refused} /> : null;
}
