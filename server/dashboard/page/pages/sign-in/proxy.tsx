import { useEffect, useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { failureOf } from "../../core/load.ts";
import { place } from "../../core/router.ts";
import { Note } from "../../parts/note.tsx";

/** Where a page notes that it has signed in by itself, in this tab. */
const tried = "intake-proxy-sign-in";
const againMilliseconds = 10_000;

/**
 * Signs in as whom the access proxy in front of Intake names: by itself, unless the person has just signed out, or the
 * session that began a moment ago did not last.
 */
export function ByProxy({ onDone }: { onDone: () => void }) {
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);
  const signedOut = place.value.query.has("signed-out");

  async function enter() {
    setBusy(true);
    setFailed(undefined);
    try {
      await done(api.session.proxy.post({}));
      onDone();
    } catch (error) {
      setFailed(failureOf(error).message);
      setBusy(false);
    }
  }

  useEffect(() => {
    // A session that ended on an open page goes on only when somebody is there.
    if (!boot.value.proxy || signedOut || boot.value.live !== undefined) return;
    const last = Number(sessionStorage.getItem(tried));
    if (Date.now() - last < againMilliseconds) return;
    sessionStorage.setItem(tried, String(Date.now()));
    void enter();
  }, []);

  if (!boot.value.proxy) return null;
  return (
    <div class="stack">
      {failed !== undefined && <Note tone="err">{failed}</Note>}
      {signedOut && (
        <Note>
          You are signed out of Intake. The access proxy still knows you: sign out there too, or anybody here can go on.
        </Note>
      )}
      <button type="button" class="btn primary large wide" disabled={busy} onClick={enter}>
        {busy ? "Signing in…" : "Sign in with the access proxy"}
      </button>
      {boot.value.passwords !== false && !boot.value.providers?.length && <p class="dim">Or with a password:</p>}
    </div>
  );
}
