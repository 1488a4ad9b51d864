import { useState } from "preact/hooks";
import { api, type CallFailed, done } from "../../core/api.ts";
import { failureOf } from "../../core/load.ts";
import { place } from "../../core/router.ts";
import { Entry } from "../../parts/entry.tsx";
import { Note } from "../../parts/note.tsx";

/** The page of a link that the server's command line has made: one button signs in, so that no preview uses the link up. */
export default function SignInLink() {
  // Read once, because the address loses its secret when that is used.
  const [secret] = useState(place.value.fragment);
  const [failed, setFailed] = useState<CallFailed>();
  const [busy, setBusy] = useState(false);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    try {
      await done(api.session.link.post({ secret }));
      location.replace("/");
    } catch (error) {
      setFailed(failureOf(error));
      setBusy(false);
    }
  }

  return (
    <Entry title="Sign in with a link" intro="It was made on the server, works once, and for 15 minutes.">
      <form class="stack" onSubmit={submit}>
        {failed && <Note tone="err">{failed.message}</Note>}
        <button type="submit" class="btn primary large wide" disabled={busy}>
          Sign in
        </button>
      </form>
    </Entry>
  );
}
