import { useEffect, useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { failureOf } from "../../core/load.ts";
import { askForPasskey, passkeysWork } from "../../core/passkeys.ts";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";

/** A challenge counts for five minutes; one that the browser still offers is replaced before. */
const renewMilliseconds = 4 * 60_000;

/** What the browser offers by itself on this page; a press on the button ends it. */
let offer: AbortController | undefined;

/**
 * The button that signs in with a passkey. Where the browser can, it also offers passkeys where the e-mail address is
 * typed. Nothing where nobody has a passkey.
 */
export function SignInWithPasskey({ signedIn }: { signedIn: () => void }) {
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);
  const works = boot.value.passkeys !== undefined && passkeysWork();

  useEffect(() => {
    if (!works) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const renew = () => {
      offer?.abort();
      offer = new AbortController();
      timer = setTimeout(renew, renewMilliseconds);
      // The button remains for whatever goes wrong here.
      void offerPasskeys(offer.signal).then(
        (done) => done && signedIn(),
        () => {},
      );
    };
    renew();
    return () => {
      clearTimeout(timer);
      offer?.abort();
    };
  }, [works]);

  async function begin() {
    offer?.abort();
    setBusy(true);
    setFailed(undefined);
    try {
      await signInWithPasskey(false);
      signedIn();
    } catch (error) {
      setFailed(failureOf(error).message);
      setBusy(false);
    }
  }

  if (!works) return null;
  return (
    <div class="stack">
      {failed !== undefined && <Note tone="err">{failed}</Note>}
      <button type="button" class="btn large wide" disabled={busy} onClick={begin}>
        <Icon name="key" small />
        Sign in with a passkey
      </button>
    </div>
  );
}

/** Signs in with a passkey: alone, or as second factor after the password. */
export async function signInWithPasskey(second: boolean) {
  const options = await done(api.session.passkey.challenge.post({ second }));
  const given = await askForPasskey(options);
  await done(api.session.passkey.post({ second, given }));
}

async function offerPasskeys(signal: AbortSignal): Promise<boolean> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return false;
  const options = await done(api.session.passkey.challenge.post({ second: false }));
  if (signal.aborted) return false;
  const given = await askForPasskey(options, { signal, offered: true });
  await done(api.session.passkey.post({ second: false, given }));
  return true;
}
