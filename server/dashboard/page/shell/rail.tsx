import { boot, isAdmin } from "../core/boot.ts";
import { bytes } from "../core/format.ts";
import { live } from "../core/live.ts";
import { Brand } from "../parts/brand.tsx";
import { Icon } from "../parts/icon.tsx";
import { openOverlay } from "./palette.ts";
import { PersonMenu } from "./person-menu.tsx";
import { NavLink, ProjectLinks } from "./project-links.tsx";
import { rail, useRail } from "./rail-data.ts";

/** The navigation beside the page: projects with their boards and reports, the organisation, the state of the server. */
export function Rail() {
  useRail();
  const { organisation, version } = boot.value;
  const data = rail.value;
  return (
    <nav class="rail" aria-label="Main">
      <div class="brand">
        <Brand />
        Intake
        <span class="organisation ellipsis" title={organisation}>
          {organisation}
        </span>
      </div>
      <button class="field search" type="button" onClick={() => openOverlay("palette")}>
        <Icon name="search" small />
        <span>Search or jump</span>
        <kbd class="right">Ctrl K</kbd>
      </button>
      <div class="links">
        <ProjectLinks />
        <h3>Organisation</h3>
        <NavLink to="/runs" icon="agent" count={data?.runs}>
          Agent runs
        </NavLink>
        <NavLink to="/subscribers" icon="send" alarm={isAdmin.value ? data?.troubledSubscribers : undefined}>
          Subscribers
        </NavLink>
        {isAdmin.value && (
          <NavLink to="/notices" icon="alert" alarm={data?.notices.open}>
            Notices
          </NavLink>
        )}
        <NavLink to="/settings/tokens" icon="ticket">
          API tokens
        </NavLink>
        <NavLink to="/settings/keys" icon="key">
          SDK keys
        </NavLink>
        <NavLink to="/settings/members" icon="users">
          Members
        </NavLink>
        <NavLink to="/settings" icon="gear">
          Settings
        </NavLink>
      </div>
      <div class="foot">
        {data && <Storage used={data.storage.used} limit={data.storage.limit} />}
        <div class="row">
          <span class={`row ${live.value.state === "live" ? "text-ok" : "text-warn"}`}>
            <span class="dot live" />
          </span>
          {live.value.state === "live" ? "Live" : live.value.state === "reconnecting" ? "Reconnecting" : "Offline"}
          <span class="right mono">v{version}</span>
        </div>
      </div>
      <PersonMenu />
    </nav>
  );
}

function Storage({ used, limit }: { used: number; limit: number }) {
  return (
    <div>
      <div class="row justify-between">
        <span>Storage</span>
        <span class="digits">
          {bytes(used)} of {bytes(limit)}
        </span>
      </div>
      <div class="meter space-above">
        <i style={{ width: `${Math.min(100, (used / limit) * 100)}%` }} />
      </div>
    </div>
  );
}
