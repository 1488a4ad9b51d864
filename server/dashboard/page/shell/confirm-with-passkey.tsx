import { useState } from "preact/hooks";
import { api, done } from "../core/api.ts";
import { failureOf } from "../core/load.ts";
import { askForPasskey } from "../core/passkeys.ts";

/** A button with which a person proves with a passkey who they are, instead of giving a password. */
export function ConfirmWithPasskey({ given, onFailed }: { given: () => void; onFailed: (message: string) => void }) {
  const [busy, setBusy] = useState(false);

  async function confirm() {
    setBusy(true);
    try {
      const options = await done(api.session.confirm.challenge.post({}));
      await done(api.session.confirm.passkey.post(await askForPasskey(options)));
      given();
    } catch (error) {
      onFailed(failureOf(error).message);
      setBusy(false);
    }
  }

  return (
    <button type="button" class="btn wide" disabled={busy} onClick={confirm} data-focus>
      Confirm with a passkey
    </button>
  );
}
