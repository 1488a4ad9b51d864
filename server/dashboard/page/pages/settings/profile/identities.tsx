import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { failureOf, useLoad } from "../../../core/load.ts";
import { providerFailure } from "../../../core/provider-failure.ts";
import { place } from "../../../core/router.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Note } from "../../../parts/note.tsx";

/** The identity providers that the person can sign in with; nothing where there are none. */
export function Identities() {
  const own = useLoad("identities", () => done(api.me.identities.get()), { kinds: ["member"] });
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);
  if (!own.data || own.data.items.length === 0) return null;
  const { items } = own.data;
  const named = items.map(({ provider: id, name }) => ({ id, name }));
  const told = failed ?? providerFailure(named);

  async function run(act: () => Promise<unknown>) {
    setBusy(true);
    setFailed(undefined);
    try {
      await act();
    } catch (error) {
      setFailed(failureOf(error).message);
    }
    setBusy(false);
  }

  async function link(provider: string) {
    const { url } = await sensitive(() => done(api.me.identities.post({ provider })));
    location.assign(url);
  }

  async function unlink(id: string, name: string) {
    await sensitive(() => done(api.me.identities({ id }).delete()));
    say(`You sign in with ${name} no more.`);
  }

  return (
    <section class="sheet padded stack">
      <h2>Identity providers</h2>
      {told !== undefined && <Note tone="err">{told}</Note>}
      {told === undefined && <Success providers={named} />}
      <dl class="facts stacked">
        {items.map(({ provider, name, linked }) => (
          <div key={provider}>
            <dt dir="auto">{name}</dt>
            <dd>
              <span class="row">
                {linked ? "linked" : "not linked"}
                <button
                  type="button"
                  class="btn right"
                  disabled={busy}
                  onClick={() => run(() => (linked ? unlink(provider, name) : link(provider)))}
                >
                  {linked ? "Unlink" : "Link"}
                  <span class="sr-only"> {name}</span>
                </button>
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** What a sign-in at a provider has brought that ended on this page. */
function Success({ providers }: { providers: readonly { id: string; name: string }[] }) {
  const { query } = place.value;
  const name = (id: string | null) => providers.find((provider) => provider.id === id)?.name;
  const linked = name(query.get("linked"));
  const confirmed = name(query.get("confirmed"));
  if (linked !== undefined) return <Note tone="ok">You can sign in with {linked} from now on.</Note>;
  if (confirmed === undefined) return null;
  return (
    <Note tone="ok">{confirmed} has confirmed who you are. You can close this window and go on in the other.</Note>
  );
}
