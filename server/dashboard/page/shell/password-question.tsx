import { useState } from "preact/hooks";
import { api, done } from "../core/api.ts";
import { boot } from "../core/boot.ts";
import { failureOf, useLoad } from "../core/load.ts";
import { passkeysWork } from "../core/passkeys.ts";
import { CodeField } from "../parts/code-field.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Note } from "../parts/note.tsx";
import { ConfirmAtProvider } from "./confirm-at-provider.tsx";
import { ConfirmByProxy } from "./confirm-by-proxy.tsx";
import { ConfirmWithPasskey } from "./confirm-with-passkey.tsx";

export interface PasswordQuestionProps {
  given: () => void;
  /** Nothing was given: what asked for it does not happen. */
  onClose: () => void;
}

/**
 * Asks a person before a dangerous action who they are, in case somebody else sits at an open page: for the password,
 * with a code where there is a second factor, or for a passkey or a sign-in at a provider instead.
 */
export default function PasswordQuestion({ given, onClose }: PasswordQuestionProps) {
  const factors = useLoad("factors", () => done(api.me.factors.get()));
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  // The password is asked for until it is known that there is none, so that nobody waits for the answer.
  const { password: hasPassword = true, app = "no", passkeys = [] } = factors.data ?? {};
  const asksForCode = app !== "no" || passkeys.length > 0;

  async function confirm(event: SubmitEvent) {
    event.preventDefault();
    setBusy(true);
    try {
      await done(api.session.password.post({ password, ...(asksForCode ? { code } : {}) }));
      given();
    } catch (error) {
      setWrong(failureOf(error).message);
      setBusy(false);
    }
  }

  return (
    <Dialog
      title={hasPassword ? "Your password, once more" : "Who are you, once more"}
      intro="It was given more than an hour ago. What could do harm asks for it again."
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" onClick={onClose}>
            Cancel
          </button>
          {hasPassword && (
            <button
              type="submit"
              form="password-again"
              class="btn primary"
              disabled={busy || password === "" || (asksForCode && code.trim() === "")}
            >
              Continue
            </button>
          )}
        </>
      }
    >
      {hasPassword ? (
        <form id="password-again" class="stack" onSubmit={confirm}>
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
          {asksForCode && (
            <CodeField kind={app === "yes" ? "app" : "recovery"} value={code} onInput={setCode} focus={false} />
          )}
        </form>
      ) : (
        wrong !== undefined && <Note tone="err">{wrong}</Note>
      )}
      {passkeys.length > 0 && passkeysWork() && <ConfirmWithPasskey given={given} onFailed={setWrong} />}
      <ConfirmByProxy given={given} onFailed={setWrong} />
      <ConfirmAtProvider given={given} onFailed={setWrong} />
    </Dialog>
  );
}
