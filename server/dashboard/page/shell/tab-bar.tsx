import { boot } from "../core/boot.ts";
import { place } from "../core/router.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { openOverlay } from "./palette.ts";

/** The navigation of a phone, at the lower edge. */
export function TabBar() {
  const project = projectOf(place.value.path) ?? boot.value.projects[0];
  const board = project?.boards[0];
  return (
    <nav class="tabbar" aria-label="Pages">
      {project && board && (
        <Tab to={`/p/${project.id}/boards/${board.id}`} icon="board">
          Board
        </Tab>
      )}
      {project && (
        <Tab to={`/p/${project.id}/reports`} icon="report">
          Reports
        </Tab>
      )}
      <Tab to="/runs" icon="agent">
        Runs
      </Tab>
      <button type="button" onClick={() => openOverlay("palette")}>
        <Icon name="search" />
        Search
      </button>
      <Tab to="/settings" icon="more">
        More
      </Tab>
    </nav>
  );
}

function projectOf(path: string) {
  const id = /^\/p\/([^/]+)/.exec(path)?.[1];
  return boot.value.projects.find((project) => project.id === id);
}

function Tab({ to, icon, children }: { to: string; icon: IconName; children: string }) {
  const { path } = place.value;
  return (
    <a href={to} aria-current={path === to || (to !== "/" && path.startsWith(`${to}/`)) ? "page" : undefined}>
      <Icon name={icon} />
      {children}
    </a>
  );
}
