import { type BootProject, boot } from "../core/boot.ts";
import { compact, plural, whole } from "../core/format.ts";
import { place } from "../core/router.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { rail } from "./rail-data.ts";

/** A project in the navigation; its counts are loaded later than its name. */
interface RailProject extends BootProject {
  reports?: number;
  boards: { id: string; name: string; cards?: number }[];
}

/** The links to every project with its boards and reports. */
export function ProjectLinks() {
  const projects: RailProject[] = rail.value?.projects ?? boot.value.projects;
  return (
    <>
      {projects.map(({ id, name, boards, reports }) => (
        <div key={id}>
          <NavLink to={`/p/${id}`} icon="board">
            {name}
          </NavLink>
          {boards.map((board) => (
            <NavLink key={board.id} to={`/p/${id}/boards/${board.id}`} count={board.cards}>
              {board.name}
            </NavLink>
          ))}
          <NavLink to={`/p/${id}/reports`} count={reports}>
            Reports
          </NavLink>
        </div>
      ))}
    </>
  );
}

export function NavLink({
  to,
  icon,
  count,
  alarm,
  children,
}: {
  to: string;
  icon?: IconName;
  count?: number | undefined;
  /** A badge with the number of things that need attention. */
  alarm?: number | undefined;
  children: string;
}) {
  const { path, behind } = place.value;
  const here = (behind?.split("?")[0] ?? path) === to;
  return (
    <a class={`nav${icon ? "" : " indented"}`} href={to} aria-current={here ? "page" : undefined}>
      {icon && <Icon name={icon} />}
      <span class="ellipsis" dir="auto" title={children}>
        {children}
      </span>
      {count !== undefined && count > 0 && (
        <span class="count" title={whole(count)}>
          {compact(count)}
        </span>
      )}
      {alarm !== undefined && alarm > 0 && (
        <span class="count alarm">
          <span class="row" aria-hidden="true" title={`${alarm} failing`}>
            <Icon name="alert" />
            {alarm}
          </span>
          <span class="sr-only">, {plural(alarm, "subscriber does", "subscribers do")} not get what is sent</span>
        </span>
      )}
    </a>
  );
}
