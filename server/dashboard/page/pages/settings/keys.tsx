import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { isAdmin } from "../../core/boot.ts";
import { useShortcuts } from "../../core/keys.ts";
import { useRowKeys } from "../../core/row-keys.ts";
import { useRows } from "../../core/rows.ts";
import { Icon } from "../../parts/icon.tsx";
import { MoreRows } from "../../parts/more-rows.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { KeyForm, KeySnippet, RevokeKey } from "./keys/dialogs.tsx";
import { type Key, type KeyAct, KeyRow } from "./keys/row.tsx";

type Open = { act: "create" } | { act: KeyAct; sdkKey: Key };

export default function Keys() {
  const admin = isAdmin.value;
  const [open, setOpen] = useState<Open>();
  const rows = useRows("keys", (cursor) => done(api.keys.get({ query: { cursor } })), { kinds: ["key"] });
  const create = () => setOpen({ act: "create" });
  useShortcuts(admin ? [{ keys: "n", does: "New SDK key", run: create }] : []);
  useRowKeys("key");
  return (
    <>
      <Bar crumbs={crumbsOf("/settings/keys")} />
      <main id="main" class="page">
        <div class="head">
          <div>
            <h1>SDK keys</h1>
            <p>
              A key ships inside an app. Anyone who has the app can read it. It can only submit reports, and neither
              read nor change anything.
            </p>
          </div>
          {admin && (
            <button type="button" class="btn primary right" onClick={create}>
              <Icon name="plus" small />
              New key <span class="kbd hide-narrow">N</span>
            </button>
          )}
        </div>
        <Shown loaded={rows}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty command={'intake key create --project PROJECT --name "App"'}>
                There is no SDK key yet. An app needs one to submit reports.
              </Empty>
            ) : (
              <Table
                columns={[
                  "Name",
                  "Project",
                  "Last used",
                  { name: "Reports, 24 h", class: "align-right" },
                  "State",
                  { name: "Actions", class: "sr-only" },
                ]}
              >
                {items.map((sdkKey) => (
                  <KeyRow key={sdkKey.id} sdkKey={sdkKey} admin={admin} onAct={(act) => setOpen({ act, sdkKey })} />
                ))}
              </Table>
            )
          }
        </Shown>
        <MoreRows more={rows.more} busy={rows.busy} />
      </main>
      {open && <Opened open={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function Opened({ open, onClose }: { open: Open; onClose: () => void }) {
  if (open.act === "create") return <KeyForm onClose={onClose} />;
  if (open.act === "change") return <KeyForm sdkKey={open.sdkKey} onClose={onClose} />;
  const Dialog = open.act === "snippet" ? KeySnippet : RevokeKey;
  return <Dialog sdkKey={open.sdkKey} onClose={onClose} />;
}
