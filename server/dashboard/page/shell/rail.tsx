import { type BootProject, boot, isAdmin } from "../core/boot.ts";
import { bytes, compact, whole } from "../core/format.ts";
import { live } from "../core/live.ts";
import { place } from "../core/router.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Brand } from "./brand.tsx";
import { openPalette } from "./palette.ts";
import { rail, useRail } from "./rail-data.ts";

/** Counts come a moment later than the names. */
interface RailProject extends BootProject {
  reports?: number;
  boards: { id: string; name: string; cards?: number }[];
}

/** Where everything is: projects with their boards and reports, the organisation, and how the server is. */
export function Rail() {
  useRail();
  const { organisation, version, projects: booted } = boot.value;
  const data = rail.value;
  const projects: RailProject[] = data?.projects ?? booted;
  return (
    <nav class="rail" aria-label="Main">
      <div class="brand">
        <Brand />
        Intake
        <span class="org clip" title={organisation}>
          {organisation}
        </span>
      </div>
      <button class="field search" type="button" onClick={openPalette}>
        <Icon name="search" small />
        <span>Search or jump</span>
        <kbd class="right">Ctrl K</kbd>
      </button>
      <div class="links">
        {projects.map(({ id, name, boards, reports }) => (
          <div key={id}>
            <Link to={`/p/${id}`} icon="board">
              {name}
            </Link>
            {boards.map((board) => (
              <Link key={board.id} to={`/p/${id}/boards/${board.id}`} count={board.cards}>
                {board.name}
              </Link>
            ))}
            <Link to={`/p/${id}/reports`} count={reports}>
              Reports
            </Link>
          </div>
        ))}
        <h3>Organisation</h3>
        <Link to="/runs" icon="agent" count={data?.runs}>
          Agent runs
        </Link>
        <Link to="/subscribers" icon="send" alarm={isAdmin.value ? data?.troubledSubscribers : undefined}>
          Subscribers
        </Link>
        <Link to="/settings/tokens" icon="ticket">
          API tokens
        </Link>
        <Link to="/settings/keys" icon="key">
          SDK keys
        </Link>
        <Link to="/settings/members" icon="users">
          Members
        </Link>
        <Link to="/settings" icon="gear">
          Settings
        </Link>
      </div>
      <div class="foot">
        {data && <Storage used={data.storage.used} limit={data.storage.limit} />}
        <div class="row">
          <span class={`row ${live.value.state === "live" ? "t-ok" : "t-warn"}`}>
            <span class="dot live" />
          </span>
          {live.value.state === "live" ? "Live" : live.value.state === "reconnecting" ? "Reconnecting" : "Offline"}
          <span class="right mono">v{version}</span>
        </div>
      </div>
    </nav>
  );
}

function Storage({ used, limit }: { used: number; limit: number }) {
  return (
    <div>
      <div class="row between">
        <span>Storage</span>
        <span class="num">
          {bytes(used)} of {bytes(limit)}
        </span>
      </div>
      <div class="meter mt">
        <i style={{ width: `${Math.min(100, (used / limit) * 100)}%` }} />
      </div>
    </div>
  );
}

function Link({
  to,
  icon,
  count,
  alarm,
  children,
}: {
  to: string;
  icon?: IconName;
  count?: number | undefined;
  /** So many need somebody. */
  alarm?: number | undefined;
  children: string;
}) {
  const { path, behind } = place.value;
  const here = (behind?.split("?")[0] ?? path) === to;
  return (
    <a class={`nav${icon ? "" : " sub"}`} href={to} aria-current={here ? "page" : undefined}>
      {icon && <Icon name={icon} />}
      <span class="clip" dir="auto" title={children}>
        {children}
      </span>
      {count !== undefined && count > 0 && (
        <span class="n" title={whole(count)}>
          {compact(count)}
        </span>
      )}
      {alarm !== undefined && alarm > 0 && (
        <span class="n t-err" title={`${alarm} do not get their deliveries`}>
          {alarm} !
        </span>
      )}
    </a>
  );
}
