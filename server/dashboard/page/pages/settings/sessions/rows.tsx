import type { SessionView } from "../../../../../accounts/list-sessions.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Ago } from "../../../parts/time.tsx";

/** A table of sessions, each of which but the present one can be ended. */
export function SessionRows({ items, onEnd }: { items: readonly SessionView[]; onEnd: (id: string) => void }) {
  return (
    <table class="table lines people">
      <thead>
        <tr>
          <th scope="col">Browser</th>
          <th scope="col">Network</th>
          <th scope="col">Signed in</th>
          <th scope="col">Last used</th>
          <th scope="col">
            <span class="sr-only">Acts</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, browser, system, network, method, provider, createdAt, seenAt, current }) => (
          <tr key={id}>
            <td>
              <div class="row">
                <Icon name={system === "iPhone" || system === "Android" ? "phone" : "expand"} />
                <b>{browser ?? "Unknown browser"}</b>
                {system !== undefined && <span class="dim">on {system}</span>}
                {current && <span class="pill ok">This one</span>}
              </div>
            </td>
            <td class="mono" data-label="Network">
              {network ?? "–"}
            </td>
            <td data-label="Signed in">
              <span>
                <Ago at={createdAt} />
                {method !== null && (
                  <span class="dim" dir="auto">
                    {" "}
                    {provider === null ? methodWords[method] : `with ${provider}`}
                  </span>
                )}
              </span>
            </td>
            <td data-label="Used">
              <Ago at={seenAt} />
            </td>
            <td class="align-right">
              {!current && (
                <button type="button" class="btn" onClick={() => onEnd(id)}>
                  Revoke
                  <span class="sr-only">
                    {" "}
                    {browser ?? "unknown browser"} {system}
                  </span>
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const methodWords: Record<NonNullable<SessionView["method"]>, string> = {
  password: "with a password",
  provider: "with a provider",
  passkey: "with a passkey",
  link: "with a link",
  proxy: "by the access proxy",
};
