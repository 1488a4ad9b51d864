import { useState } from "preact/hooks";
import { useShortcuts } from "../../core/keys.ts";
import { place, setQuery } from "../../core/router.ts";
import { useRowKeys } from "../../core/row-keys.ts";
import { useRows } from "../../core/rows.ts";
import { Icon } from "../../parts/icon.tsx";
import { MoreRows } from "../../parts/more-rows.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";
import { ChangeToken } from "./tokens/change.tsx";
import { CreateToken } from "./tokens/create.tsx";
import { ReplaceToken, RevokeToken } from "./tokens/end.tsx";
import { type TokenAct, TokenRow } from "./tokens/row.tsx";
import { listTokens, type Token } from "./tokens/token.ts";

export default function Tokens() {
  return (
    <AdminPage path="/settings/tokens" title="API tokens" what="manage API tokens">
      <Page />
    </AdminPage>
  );
}

type Open = { act: "create" } | { act: TokenAct; token: Token };

function Page() {
  const { query } = place.value;
  const text = query.get("text") ?? "";
  const state = query.get("state") ?? "all";
  const [open, setOpen] = useState<Open>();
  const rows = useRows(
    `tokens ${state} ${text}`,
    (cursor) =>
      listTokens({ cursor, state: state === "all" ? undefined : state, text: text === "" ? undefined : text }),
    { kinds: ["token", "request"] },
  );
  const create = () => setOpen({ act: "create" });
  useShortcuts([{ keys: "n", does: "New token", run: create }]);
  useRowKeys("token");
  const { active = 0, revoked = 0 } = rows.data?.counts ?? {};
  return (
    <>
      <div class="head">
        <div>
          <h1>API tokens</h1>
          <p>
            A token does only what its scopes allow, such as creating tickets. It belongs in CI secrets or on a server,
            never in an app you ship: apps use <a href="/settings/keys">SDK keys</a>.
          </p>
        </div>
        <button type="button" class="btn primary right" onClick={create}>
          <Icon name="plus" small />
          New token <span class="kbd hide-narrow">N</span>
        </button>
      </div>
      <div class="row wrap">
        <SearchField
          label="Filter by name, fingerprint, id"
          value={text}
          onValue={(value) => setQuery({ text: value })}
        />
        <Tabs
          label="State"
          look="segmented"
          tabs={[
            { name: "all", label: "All", count: active + revoked },
            { name: "active", label: "Active", count: active },
            { name: "revoked", label: "Revoked", count: revoked },
          ]}
          chosen={state}
          onChoose={(name) => setQuery({ state: name === "all" ? undefined : name })}
        />
      </div>
      <Shown loaded={rows}>
        {({ items }) =>
          items.length === 0 ? (
            <None filtered={text !== "" || state !== "all"} onCreate={create} />
          ) : (
            <Table
              columns={[
                "Name",
                "Reach",
                "Scopes",
                "Last used",
                { name: "Created by", class: "hide-narrow" },
                { name: "Actions", class: "sr-only" },
              ]}
            >
              {items.map((token) => (
                <TokenRow key={token.id} token={token} onAct={(act) => setOpen({ act, token })} />
              ))}
            </Table>
          )
        }
      </Shown>
      <MoreRows more={rows.more} busy={rows.busy} />
      <Opened open={open} tokens={rows.data?.items ?? []} onClose={() => setOpen(undefined)} />
    </>
  );
}

function Opened({ open, tokens, onClose }: { open: Open | undefined; tokens: readonly Token[]; onClose: () => void }) {
  if (!open) return null;
  if (open.act === "create") return <CreateToken tokens={tokens} onClose={onClose} />;
  const Act = { change: ChangeToken, replace: ReplaceToken, revoke: RevokeToken }[open.act];
  // The token is loaded again, because it may have been used since the menu was opened.
  return <Act token={tokens.find(({ id }) => id === open.token.id) ?? open.token} onClose={onClose} />;
}

function None({ filtered, onCreate }: { filtered: boolean; onCreate: () => void }) {
  if (filtered) {
    return (
      <Empty
        action={
          <button type="button" class="btn" onClick={() => setQuery({ text: undefined, state: undefined })}>
            Clear
          </button>
        }
      >
        No token fits the filter.
      </Empty>
    );
  }
  return (
    <Empty
      action={
        <button type="button" class="btn primary" onClick={onCreate}>
          New token
        </button>
      }
      command={'intake token create --name "CI" --all-projects'}
    >
      There is no API token yet. A CI job needs one to create tickets.
    </Empty>
  );
}
