import { copy } from "../../../core/copy.ts";
import { plural, whole } from "../../../core/format.ts";
import { go } from "../../../core/router.ts";
import { say } from "../../../core/say.ts";
import { bothClocks } from "../../../core/time.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Menu } from "../../../parts/menu.tsx";
import { Ago } from "../../../parts/time.tsx";
import { Who } from "../../../parts/who.tsx";
import { reachWords, type Token } from "./token.ts";

export type TokenAct = "change" | "replace" | "revoke";

export function TokenRow({ token, onAct }: { token: Token; onAct: (act: TokenAct) => void }) {
  const { id, name, fingerprint, scopes, author, mismatches, revokedAt } = token;
  const reach = reachWords(token);
  return (
    <tr class={revokedAt === null ? undefined : "inactive"}>
      <td>
        <div class="row">
          <Who kind="token" name={name} />
          <span class="two-lines">
            <a class="name strong ellipsis" href={`/settings/tokens/${id}`} title={name} dir="auto">
              {name}
            </a>
            <small class="mono" title="Fingerprint: the first eight digits of its hash">
              itk_ ···· {fingerprint}
            </small>
          </span>
        </div>
      </td>
      <td data-label="">
        <span class={`pill${reach.short === "All projects" ? " warn" : ""}`} title={reach.names}>
          {reach.short}
        </span>
      </td>
      <td data-label="">
        <span class="row gap-5">
          {scopes.map((scope) => (
            <span class="pill code" key={scope}>
              {scope}
            </span>
          ))}
          {scopes.length === 0 && <span class="pill warn">none</span>}
          {mismatches > 0 && (
            <a class="pill warn" href={`/settings/tokens/${id}?filter=mismatches`} title={whole(mismatches)}>
              <Icon name="alert" />
              {plural(mismatches, "key mismatch", "key mismatches")}
            </a>
          )}
        </span>
      </td>
      <td data-label="">
        <LastUse token={token} />
      </td>
      <td data-label="Created by" class="hide-narrow ellipsis" dir="auto">
        {author ?? <span class="dim">not noted</span>}
      </td>
      <td class="align-right">
        {revokedAt === null ? (
          <Menu
            label={`Actions on ${name}`}
            items={[
              { label: "Request log", icon: "file", run: () => go(`/settings/tokens/${id}`) },
              { label: "Change name, reach, scopes", icon: "pencil", run: () => onAct("change") },
              { label: "Replace", icon: "replay", run: () => onAct("replace") },
              { label: "Copy id", icon: "copy", run: () => void copyId(id) },
              { label: "Revoke", icon: "x", danger: true, run: () => onAct("revoke") },
            ]}
          />
        ) : (
          <span class="pill">Revoked</span>
        )}
      </td>
    </tr>
  );
}

function LastUse({ token }: { token: Token }) {
  const { lastUsedAt, lastNetwork, lastStatus, createdAt, late } = token;
  return (
    <span class="two-lines">
      {lastUsedAt === null ? <span class="digits">never</span> : <Ago at={lastUsedAt} class="digits" words />}
      {late ? (
        <small class="text-err ellipsis" title={`The last one ${bothClocks(late.at)}`}>
          {plural(late.calls, "call")} after revoke{late.network === null ? "" : `, last from ${late.network}`}
        </small>
      ) : lastUsedAt === null ? (
        <small>
          created <Ago at={createdAt} />
        </small>
      ) : (
        <small>
          {lastNetwork !== null && `${lastNetwork}, `}
          <span class={lastStatus !== null && lastStatus >= 400 ? "text-warn" : undefined}>{lastStatus}</span>
        </small>
      )}
    </span>
  );
}

async function copyId(id: string) {
  const copied = await copy(id);
  say(copied ? "The id is copied." : `The id is ${id}`);
}
