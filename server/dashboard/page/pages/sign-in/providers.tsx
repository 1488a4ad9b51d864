import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { failureOf } from "../../core/load.ts";
import { providerFailure } from "../../core/provider-failure.ts";
import { place } from "../../core/router.ts";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";

/** The buttons of the identity providers, above the form for passwords, and why the last sign-in with one failed. */
export function Providers({ next }: { next: string }) {
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);
  const providers = boot.value.providers ?? [];
  const told = failed ?? providerFailure(providers);

  async function begin(provider: string) {
    setBusy(true);
    setFailed(undefined);
    try {
      const { url } = await done(api.session.provider.post({ provider, next }));
      location.assign(url);
    } catch (error) {
      setFailed(failureOf(error).message);
      setBusy(false);
    }
  }

  if (providers.length === 0) return null;
  return (
    <div class="stack">
      {told !== undefined && <Note tone={asksForPassword() && failed === undefined ? "warn" : "err"}>{told}</Note>}
      {providers.map(({ id, name }) => (
        <button key={id} type="button" class="btn large wide" disabled={busy} onClick={() => begin(id)}>
          <Icon name="key" small />
          <span class="ellipsis">Sign in with {name}</span>
        </button>
      ))}
      {boot.value.passwords !== false && <p class="dim">Or with a password:</p>}
    </div>
  );
}

function asksForPassword(): boolean {
  return place.value.query.get("failed") === "password";
}

/** Links the account to the person at a provider who was asked for the account's password. */
export async function linkPending() {
  if (asksForPassword()) await api.session["pending-link"].post({}).catch(() => {});
}
