import { useState } from "preact/hooks";
import { api, done } from "../core/api.ts";
import { boot } from "../core/boot.ts";
import { failureOf } from "../core/load.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";

export interface PasswordQuestionProps {
  given: () => void;
  /** No password was given: what asked for it does not happen. */
  onClose: () => void;
}

/** Asks for the password again before a dangerous action, in case somebody else sits at an open page. */
export default function PasswordQuestion({ given, onClose }: PasswordQuestionProps) {
  const [password, setPassword] = useState("");
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function confirm(event: SubmitEvent) {
    event.preventDefault();
    setBusy(true);
    try {
      await done(api.session.password.post({ password }));
      given();
    } catch (error) {
      setWrong(failureOf(error).message);
      setBusy(false);
    }
  }

  return (
    <Dialog
      title="Your password, once more"
      intro="It was given more than an hour ago. What could do harm asks for it again."
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="password-again" class="btn primary" disabled={busy || password === ""}>
            Continue
          </button>
        </>
      }
    >
      <form id="password-again" onSubmit={confirm}>
        <input type="text" name="username" autocomplete="username" value={boot.value.member?.email ?? ""} hidden />
        <Field label="Password" wrong={wrong}>
          {(tied) => (
            <span class="field">
              <input
                {...tied}
                data-focus
                type="password"
                autocomplete="current-password"
                value={password}
                onInput={(event) => setPassword(event.currentTarget.value)}
              />
            </span>
          )}
        </Field>
      </form>
    </Dialog>
  );
}
