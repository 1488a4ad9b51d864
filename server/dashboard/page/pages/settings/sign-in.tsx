import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { useShortcuts } from "../../core/keys.ts";
import { failureOf, useLoad } from "../../core/load.ts";
import { providerFailure } from "../../core/provider-failure.ts";
import { place } from "../../core/router.ts";
import { useRowKeys } from "../../core/row-keys.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Note } from "../../parts/note.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";
import { ProviderForm } from "./sign-in/form.tsx";
import type { Provider } from "./sign-in/provider.ts";
import { TriedSheet } from "./sign-in/tried.tsx";

/** The identity providers with which people sign in. */
export default function SignInSettings() {
  return (
    <AdminPage path="/settings/sign-in" title="Sign-in" what="manage identity providers">
      <Page />
    </AdminPage>
  );
}

type Open = { what: "add" } | { what: "change" | "remove"; provider: Provider };

function Page() {
  const providers = useLoad("providers", () => done(api.providers.get()), { kinds: ["provider"] });
  const [open, setOpen] = useState<Open>();
  const [told, setTold] = useState<{ tone: "ok" | "err"; text: string }>();
  const add = () => setOpen({ what: "add" });
  const close = () => setOpen(undefined);
  const failure = providerFailure(providers.data?.items ?? []);
  useShortcuts([{ keys: "n", does: "Add a provider", run: add }]);
  useRowKeys("provider");

  async function run(act: () => Promise<string | undefined>) {
    setTold(undefined);
    try {
      const text = await act();
      if (text !== undefined) setTold({ tone: "ok", text });
    } catch (error) {
      setTold({ tone: "err", text: failureOf(error).message });
    }
  }

  return (
    <>
      <div class="head">
        <div>
          <h1>Sign-in</h1>
          <p>
            People sign in with these identity providers (OpenID Connect) beside passwords. Whether passwords count is a
            setting of the <a href="/settings/organisation">organisation</a>.
          </p>
        </div>
        <button type="button" class="btn primary right" onClick={add}>
          <Icon name="plus" small />
          Add provider <span class="kbd hide-narrow">N</span>
        </button>
      </div>
      {told && <Note tone={told.tone}>{told.text}</Note>}
      {!told && failure !== undefined && <Note tone="err">{failure}</Note>}
      {place.value.query.has("tried") && <TriedSheet />}
      <Shown loaded={providers}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty command="intake provider add --id keycloak --name Keycloak --issuer https://sso.example.org/realms/main --client-id intake --secret-file client-secret">
              There is no provider yet. Everybody signs in with a password.
            </Empty>
          ) : (
            <Table
              columns={["Provider", "Linked people", "New people", "State", { name: "Actions", class: "sr-only" }]}
            >
              {items.map((provider) => (
                <ProviderLine
                  key={provider.id}
                  provider={provider}
                  onOpen={(what) => setOpen({ what, provider })}
                  onRun={run}
                />
              ))}
            </Table>
          )
        }
      </Shown>
      {open?.what === "add" && <ProviderForm onClose={close} />}
      {open?.what === "change" && <ProviderForm provider={open.provider} onClose={close} />}
      {open?.what === "remove" && <Remove provider={open.provider} onClose={close} />}
    </>
  );
}

function ProviderLine({
  provider,
  onOpen,
  onRun,
}: {
  provider: Provider;
  onOpen: (what: "change" | "remove") => void;
  onRun: (act: () => Promise<string | undefined>) => void;
}) {
  const { id, name, issuer, state, linked, newMembers, secret } = provider;
  const enabled = state === "enabled";
  return (
    <tr>
      <td>
        <div class="row">
          <Icon name="key" />
          <span class="two-lines">
            <b class="ellipsis" dir="auto" title={name}>
              {name}
            </b>
            <small class="mono ellipsis" title={issuer}>
              {issuer}
            </small>
          </span>
        </div>
      </td>
      <td data-label="Linked people">{linked}</td>
      <td data-label="New people">{newMembers === "yes" ? "become members" : "are refused"}</td>
      <td data-label="">
        {secret === "lost" ? (
          <span class="pill warn">Secret lost</span>
        ) : (
          <span class={`pill${enabled ? " ok" : ""}`}>{enabled ? "Enabled" : "Disabled"}</span>
        )}
      </td>
      <td class="align-right">
        <Menu
          label={`Actions on ${name}`}
          items={[
            { label: "Try it", icon: "play", run: () => onRun(() => tryIt(id)) },
            { label: "Check the connection", icon: "check", run: () => onRun(() => check(provider)) },
            { label: "Change…", icon: "gear", run: () => onOpen("change") },
            {
              label: enabled ? "Disable" : "Enable",
              icon: enabled ? "pause" : "check",
              run: () => onRun(() => switchTo(provider, enabled ? "disabled" : "enabled")),
            },
            { label: "Remove", icon: "x", danger: true, run: () => onOpen("remove") },
          ]}
        />
      </td>
    </tr>
  );
}

async function tryIt(id: string): Promise<undefined> {
  const { url } = await sensitive(() => done(api.providers({ id }).try.post({})));
  location.assign(url);
}

async function check({ id, name }: Provider): Promise<string> {
  const { authorizationEndpoint, backChannelLogout } = await done(api.providers({ id }).test.post({}));
  const logout = backChannelLogout ? "It tells of sign-outs." : "It does not say that it tells of sign-outs.";
  return `${name} answers. People sign in at ${new URL(authorizationEndpoint).host}. ${logout}`;
}

async function switchTo({ id, name }: Provider, state: "enabled" | "disabled"): Promise<undefined> {
  await sensitive(() => done(api.providers({ id }).patch({ state })));
  say(`${name} is ${state}.`);
}

function Remove({ provider: { id, name, linked }, onClose }: { provider: Provider; onClose: () => void }) {
  return (
    <Confirm
      title={<span dir="auto">Remove {name}?</span>}
      verb="Remove provider"
      typed={linked > 0 ? id : undefined}
      onConfirm={async () => {
        await sensitive(() => done(api.providers({ id }).delete()));
        say(`${name} is removed.`);
      }}
      onClose={onClose}
    >
      <p>
        Sessions that began there end, and the links of {linked} {linked === 1 ? "account" : "accounts"} to it are
        forgotten. Whoever has no password cannot sign in until an admin makes a link.
      </p>
    </Confirm>
  );
}
