import { type ComponentChildren, Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { escapeInvisible } from "../../../text/escape-invisible.ts";
import { type PagePath, pageAt, pages } from "../../pages.ts";
import { boot } from "../core/boot.ts";
import { narrow } from "../core/narrow.ts";
import { goBack, place } from "../core/router.ts";
import { Icon } from "../parts/icon.tsx";
import { ProjectSwitcher } from "./project-switcher.tsx";
import { rail } from "./rail-data.ts";

export type Crumb = string | { text: string; to: string };

/** The bar above a page, with breadcrumbs and actions. It also sets the title of the window. */
export function Bar({
  crumbs,
  covered = false,
  switcher = false,
  loading = false,
  children,
}: {
  /** The breadcrumbs; the last one is this page. */
  crumbs: readonly Crumb[];
  /** True for a page of a project: on a phone its name opens the list of all projects and boards. */
  switcher?: boolean;
  /** True while a card or report lies over the page: that one then sets the title of the window. */
  covered?: boolean;
  /** True until it is known which page is above this one. Then Back only offers an earlier page of this visit. */
  loading?: boolean;
  children?: ComponentChildren;
}) {
  const texts = crumbs.map((crumb) => (typeof crumb === "string" ? crumb : crumb.text));
  const title = [...texts].reverse().concat("Intake").join(" · ");
  useEffect(() => {
    if (!covered) document.title = escapeInvisible(title);
  }, [title, covered]);
  return (
    <header class="bar">
      {narrow.value ? (
        <Short crumbs={crumbs} title={texts.at(-1) ?? ""} switcher={switcher} loading={loading} />
      ) : (
        <Crumbs crumbs={crumbs} />
      )}
      <div class="right row">{children}</div>
    </header>
  );
}

/** The bar on a phone: the name of the page, and the way back or to other projects. */
function Short({
  crumbs,
  title,
  switcher,
  loading,
}: {
  crumbs: readonly Crumb[];
  title: string;
  switcher: boolean;
  loading: boolean;
}) {
  if (switcher) return <ProjectSwitcher title={title} />;
  const above = crumbs.findLast((crumb) => typeof crumb !== "string")?.to ?? "/";
  return (
    <>
      {!tops.includes(place.value.path) && (!loading || place.value.steps > 0) && (
        <button type="button" class="btn ghost square back" aria-label="Back" onClick={() => goBack(above)}>
          <Icon name="left" />
        </button>
      )}
      <b class="name ellipsis" dir="auto">
        {title}
      </b>
    </>
  );
}

/** Pages that the tabs of a phone lead to: they have no way back. */
const tops = ["/", "/runs", "/settings"];

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav class="crumbs" aria-label="Where you are">
      {crumbs.map((crumb, i) => {
        const text = typeof crumb === "string" ? crumb : crumb.text;
        return (
          <Fragment key={`${i} ${text}`}>
            {i > 0 && (
              <span class="separator" aria-hidden="true">
                /
              </span>
            )}
            {i === crumbs.length - 1 ? (
              <b class="ellipsis" dir="auto">
                {text}
              </b>
            ) : (
              <span class="ellipsis" dir="auto">
                {typeof crumb === "string" ? text : <a href={crumb.to}>{text}</a>}
              </span>
            )}
          </Fragment>
        );
      })}
    </nav>
  );
}

/** The breadcrumbs of a page: a link for each page above it, then the page itself by its title or a more exact name. */
export function crumbsOf(path: PagePath, name: string = pageAt(path).title): Crumb[] {
  const above = pages.filter((page) => page.path !== "/" && path.startsWith(`${page.path}/`));
  return [...above.map(({ path, title }) => ({ text: title, to: path })), name];
}

export function projectName(id: string): string {
  return (rail.value?.projects ?? boot.value.projects).find((project) => project.id === id)?.name ?? "Project";
}
