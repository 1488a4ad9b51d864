import { useRef } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { compact, plural, whole } from "../../../core/format.ts";
import { failureOf } from "../../../core/load.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { CopyButton } from "../../../parts/copy.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Menu } from "../../../parts/menu.tsx";
import { Ago } from "../../../parts/time.tsx";

export type Key = Awaited<ReturnType<typeof list>>["items"][number];
export type KeyAct = "change" | "snippet" | "revoke";

const list = () => done(api.keys.get());

export function KeyRow({ sdkKey, admin, onAct }: { sdkKey: Key; admin: boolean; onAct: (act: KeyAct) => void }) {
  const { id, name, key, projectName, origins, lastUsedAt, reports, state } = sdkKey;
  const code = useRef<HTMLElement>(null);

  async function change(act: "pause" | "resume") {
    try {
      await sensitive(() => done(api.keys({ id })[act].post({})));
      say(act === "pause" ? "Paused. Apps are told to come back later." : "Resumed.");
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }

  const changes =
    state === "revoked" || !admin
      ? []
      : [
          { label: "Change name and origins", icon: "pencil" as const, run: () => onAct("change") },
          state === "paused"
            ? { label: "Resume", icon: "play" as const, run: () => void change("resume") }
            : { label: "Pause", icon: "pause" as const, run: () => void change("pause") },
          { label: "Revoke", icon: "x" as const, danger: true, run: () => onAct("revoke") },
        ];
  return (
    <tr class={state === "revoked" ? "inactive" : undefined}>
      <td>
        <div class="row">
          <Icon name="key" />
          <span class="two-lines">
            <span class="name strong ellipsis" dir="auto" title={name}>
              {name}
            </span>
            <small class="row">
              <code ref={code} class="ellipsis key-text">
                {key}
              </code>
              {state !== "revoked" && (
                <CopyButton text={key} class="btn ghost tiny" target={() => code.current} label="Copy" />
              )}
            </small>
          </span>
        </div>
      </td>
      <td data-label="Project" dir="auto">
        {projectName}
      </td>
      <td data-label="Last used">{lastUsedAt === null ? "never" : <Ago at={lastUsedAt} />}</td>
      <td data-label="Reports, 24 h" class="align-right digits" title={whole(reports.count)}>
        {compact(reports.count)}
        {reports.more && "+"}
      </td>
      <td data-label="">
        <span class="row wrap gap-5">
          {state === "paused" && <span class="pill warn">Paused</span>}
          {state === "revoked" && <span class="pill">Revoked</span>}
          {state === "active" && <span class="pill ok">Active</span>}
          {origins.length > 0 && (
            <span class="pill line" title={origins.join("\n")}>
              {plural(origins.length, "origin")}
            </span>
          )}
        </span>
      </td>
      <td class="align-right">
        <Menu
          label={`Actions on ${name}`}
          items={[{ label: "Show a snippet", icon: "file", run: () => onAct("snippet") }, ...changes]}
        />
      </td>
    </tr>
  );
}
