import { useState } from "preact/hooks";
import type { SecondWays } from "../../../../accounts/second-step.ts";
import { api, type CallFailed, done } from "../../core/api.ts";
import { failureOf } from "../../core/load.ts";
import { passkeysWork } from "../../core/passkeys.ts";
import { CodeField } from "../../parts/code-field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { signInWithPasskey } from "./passkey.tsx";

/** The second step of a sign-in: a code or a passkey, after the password was right. */
export function SecondStep({
  ways: { code: kind, passkey },
  signedIn,
  onOver,
}: {
  ways: SecondWays;
  signedIn: () => void;
  /** The step took too long: the sign-in begins again. */
  onOver: (failed: CallFailed) => void;
}) {
  const [code, setCode] = useState("");
  const [wrong, setWrong] = useState<string>();
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);
  const withPasskey = passkey && passkeysWork();

  async function run(act: () => Promise<unknown>, refused: (message: string) => void) {
    setBusy(true);
    setWrong(undefined);
    setFailed(undefined);
    try {
      await act();
      signedIn();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === "not_signed_in") return onOver(failure);
      refused(failure.message);
      setBusy(false);
    }
  }

  const submit = (event: Event) => {
    event.preventDefault();
    void run(() => done(api.session.code.post({ code })), setWrong);
  };

  return (
    <div class="stack">
      <p class="soft" role="status">
        Your password is right. Now your second factor.
      </p>
      {failed !== undefined && <Note tone="err">{failed}</Note>}
      {withPasskey && (
        <button
          type="button"
          class="btn large wide"
          disabled={busy}
          onClick={() => run(() => signInWithPasskey(true), setFailed)}
        >
          <Icon name="key" small />
          Use a passkey
        </button>
      )}
      {kind === "none" && !withPasskey && (
        <Note tone="warn">Nothing that you have works here. Ask an admin to reset your factors.</Note>
      )}
      {kind !== "none" && (
        <form class="stack" onSubmit={submit}>
          <CodeField kind={kind} value={code} onInput={setCode} wrong={wrong} />
          <button type="submit" class="btn primary large wide" disabled={busy || code.trim() === ""}>
            Continue
          </button>
        </form>
      )}
    </div>
  );
}
