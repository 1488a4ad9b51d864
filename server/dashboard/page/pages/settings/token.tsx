import { useState } from "preact/hooks";
import { tokenFields } from "../../../../credentials/token-fields.ts";
import { api, done } from "../../core/api.ts";
import { isAdmin } from "../../core/boot.ts";
import { useLoad } from "../../core/load.ts";
import type { PageProps } from "../../core/page-props.ts";
import { place, setQuery } from "../../core/router.ts";
import { useRowKeys } from "../../core/row-keys.ts";
import { useRows } from "../../core/rows.ts";
import { AdminsOnly } from "../../parts/admins-only.tsx";
import { FieldFacts } from "../../parts/field-facts.tsx";
import { Menu } from "../../parts/menu.tsx";
import { MoreRows } from "../../parts/more-rows.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { ChangeToken } from "./tokens/change.tsx";
import { ReplaceToken, RevokeToken } from "./tokens/end.tsx";
import { RequestRows } from "./tokens/requests.tsx";
import type { TokenAct } from "./tokens/row.tsx";
import { reachWords, type Token } from "./tokens/token.ts";

const filters = [
  { name: "all", label: "All" },
  { name: "errors", label: "Errors" },
  { name: "replays", label: "Replays" },
  { name: "mismatches", label: "Mismatches" },
] as const;

/** The page of one token, with every request that used it. */
export default function TokenPage({ params: { token: id = "" } }: PageProps) {
  const admin = isAdmin.value;
  const token = useLoad(`token ${id} ${admin}`, () => done(api.tokens({ id }).get()), {
    kinds: ["token", "request"],
    about: (change) => change.id === id,
  });
  const [act, setAct] = useState<TokenAct>();
  const name = token.data?.name ?? "Token";
  return (
    <>
      <Bar crumbs={crumbsOf("/settings/tokens/:token", name)}>
        {token.data?.revokedAt === null && (
          <Menu
            label={`Actions on ${name}`}
            items={[
              { label: "Change name, reach, scopes", icon: "pencil", run: () => setAct("change") },
              { label: "Replace", icon: "replay", run: () => setAct("replace") },
              { label: "Revoke", icon: "x", danger: true, run: () => setAct("revoke") },
            ]}
          />
        )}
      </Bar>
      <main id="main" class="page">
        {admin ? (
          <>
            {!token.data && <h1 class="sr-only">Token</h1>}
            <Shown loaded={token} rows={2}>
              {(data) => (
                <>
                  <Head token={data} />
                  <Log id={id} />
                </>
              )}
            </Shown>
          </>
        ) : (
          <>
            <h1>API tokens</h1>
            <AdminsOnly what="manage API tokens" />
          </>
        )}
      </main>
      {token.data && act && <Act act={act} token={token.data} onClose={() => setAct(undefined)} />}
    </>
  );
}

function Act({ act, token, onClose }: { act: TokenAct; token: Token; onClose: () => void }) {
  const Dialog = { change: ChangeToken, replace: ReplaceToken, revoke: RevokeToken }[act];
  return <Dialog token={token} onClose={onClose} />;
}

function Head({ token }: { token: Token }) {
  const { name, fingerprint, author, createdAt, revokedAt } = token;
  return (
    <>
      <div class="row wrap">
        <h1 class="ellipsis" dir="auto" title={name}>
          {name}
        </h1>
        {revokedAt !== null && (
          <span class="pill">
            Revoked <Ago at={revokedAt} />
          </span>
        )}
      </div>
      <dl class="facts">
        <div>
          <dt>Fingerprint</dt>
          <dd class="mono">{fingerprint}</dd>
        </div>
        <FieldFacts fields={tokenFields} shown={token} words={{ reach: reachWords(token).names }} />
        <div>
          <dt>Created</dt>
          <dd dir="auto">
            <Ago at={createdAt} />
            {author === null ? "" : ` by ${author}`}
          </dd>
        </div>
      </dl>
    </>
  );
}

function Log({ id }: { id: string }) {
  const chosen = place.value.query.get("filter");
  const filter = filters.find(({ name }) => name === chosen)?.name ?? "all";
  const rows = useRows(
    `requests ${id} ${filter}`,
    (cursor) =>
      done(api.tokens({ id }).requests.get({ query: { cursor, filter: filter === "all" ? undefined : filter } })),
    { kinds: ["request"], about: (change) => change.id === id },
  );
  useRowKeys("request");
  return (
    <>
      <div class="row wrap">
        <h2>Requests</h2>
        <Tabs
          label="Requests"
          look="segmented"
          tabs={filters}
          chosen={filter}
          onChoose={(name) => setQuery({ filter: name === "all" ? undefined : name })}
        />
        <span class="dim right hide-narrow">kept for 30 days</span>
      </div>
      <Shown loaded={rows}>
        {({ items, next }) =>
          items.length === 0 && next === null ? (
            <Empty>
              {filter === "all"
                ? "No request came with this token yet. It is here within a second of its answer."
                : "No request is of this kind."}
            </Empty>
          ) : items.length === 0 ? (
            <p class="dim">No request is of this kind among the newest. Show more looks further back.</p>
          ) : (
            <RequestRows requests={items} />
          )
        }
      </Shown>
      <MoreRows more={rows.more} busy={rows.busy} />
    </>
  );
}
