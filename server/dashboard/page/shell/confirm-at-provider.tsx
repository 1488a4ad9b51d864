import { useEffect, useState } from "preact/hooks";
import { api, done } from "../core/api.ts";
import { failureOf, useLoad } from "../core/load.ts";

/**
 * Buttons with which a person signs in again at a linked provider instead of giving a password. That happens in a window
 * of its own, so that the form below the question keeps what was typed.
 */
export function ConfirmAtProvider({ given, onFailed }: { given: () => void; onFailed: (message: string) => void }) {
  const own = useLoad("identities", () => done(api.me.identities.get()));
  const [begun, setBegun] = useState(false);
  const linked = own.data?.items.filter((provider) => provider.linked) ?? [];

  useEffect(() => {
    if (!begun) return;
    const look = async () => {
      const { passwordUntil } = await done(api.me.get());
      if (new Date(passwordUntil).getTime() > Date.now()) given();
    };
    const onFocus = () => void look().catch((error) => onFailed(failureOf(error).message));
    addEventListener("focus", onFocus);
    document.addEventListener("visibilitychange", onFocus);
    return () => {
      removeEventListener("focus", onFocus);
      document.removeEventListener("visibilitychange", onFocus);
    };
  }, [begun]);

  async function begin(provider: string) {
    // Opened before the call is answered: browsers open windows for a click only.
    const there = open("", "_blank");
    try {
      const { url } = await done(api.session.confirm.post({ provider }));
      if (there) there.location.href = url;
      else location.assign(url);
      setBegun(true);
    } catch (error) {
      there?.close();
      onFailed(failureOf(error).message);
    }
  }

  if (linked.length === 0) return null;
  return (
    <div class="stack">
      {linked.map(({ provider, name }) => (
        <button key={provider} type="button" class="btn wide" onClick={() => begin(provider)}>
          Confirm with {name} instead
        </button>
      ))}
      {begun && <p class="dim">Sign in there in the other window, and come back here.</p>}
    </div>
  );
}
