import { type ComponentChildren, Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { boot } from "../core/boot.ts";

/** The head of a page: where one is, and what can be done here. Also names the window. */
export function Bar({
  crumbs,
  covered = false,
  children,
}: {
  /** The last one is this page. */
  crumbs: readonly (string | { text: string; to: string })[];
  /** Something lies over the page, and names the window. */
  covered?: boolean;
  children?: ComponentChildren;
}) {
  const texts = crumbs.map((crumb) => (typeof crumb === "string" ? crumb : crumb.text));
  const title = [...texts].reverse().concat("Intake").join(" · ");
  useEffect(() => {
    if (!covered) document.title = title;
  }, [title, covered]);
  return (
    <header class="bar">
      <nav class="crumbs" aria-label="Where you are">
        {crumbs.map((crumb, i) => {
          const text = texts[i] ?? "";
          const last = i === crumbs.length - 1;
          return (
            <Fragment key={`${i} ${text}`}>
              {i > 0 && (
                <span class="sep only-d" aria-hidden="true">
                  /
                </span>
              )}
              {last ? (
                <b class="clip" dir="auto">
                  {text}
                </b>
              ) : (
                <span class="only-d clip" dir="auto">
                  {typeof crumb === "string" ? text : <a href={crumb.to}>{text}</a>}
                </span>
              )}
            </Fragment>
          );
        })}
      </nav>
      <div class="right row">{children}</div>
    </header>
  );
}

export function projectName(id: string): string {
  return boot.value.projects.find((project) => project.id === id)?.name ?? "Project";
}
