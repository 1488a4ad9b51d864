import type { ComponentType } from "preact";
import type { PageModule } from "../pages.ts";
import type { PageProps } from "./core/page-props.ts";

export type PageComponent = ComponentType<PageProps>;

/** Loads the module of a page: written out, so that the bundler makes a script of each. */
export const loadPage: Record<PageModule, () => Promise<{ default: PageComponent }>> = {
  "start.tsx": () => import("./pages/start.tsx"),
  "setup/page.tsx": () => import("./pages/setup/page.tsx"),
  "sign-in/page.tsx": () => import("./pages/sign-in/page.tsx"),
  "sign-in/link.tsx": () => import("./pages/sign-in/link.tsx"),
  "sign-in/enrol.tsx": () => import("./pages/sign-in/enrol.tsx"),
  "invite/page.tsx": () => import("./pages/invite/page.tsx"),
  "search/page.tsx": () => import("./pages/search/page.tsx"),
  "overview/page.tsx": () => import("./pages/overview/page.tsx"),
  "board/page.tsx": () => import("./pages/board/page.tsx"),
  "reports/page.tsx": () => import("./pages/reports/page.tsx"),
  "card/page.tsx": () => import("./pages/card/page.tsx"),
  "report/page.tsx": () => import("./pages/report/page.tsx"),
  "runs/page.tsx": () => import("./pages/runs/page.tsx"),
  "run/page.tsx": () => import("./pages/run/page.tsx"),
  "subscribers/list.tsx": () => import("./pages/subscribers/list.tsx"),
  "subscribers/page.tsx": () => import("./pages/subscribers/page.tsx"),
  "settings/page.tsx": () => import("./pages/settings/page.tsx"),
  "settings/tokens.tsx": () => import("./pages/settings/tokens.tsx"),
  "settings/token.tsx": () => import("./pages/settings/token.tsx"),
  "settings/keys.tsx": () => import("./pages/settings/keys.tsx"),
  "settings/members.tsx": () => import("./pages/settings/members.tsx"),
  "settings/sign-in.tsx": () => import("./pages/settings/sign-in.tsx"),
  "settings/repositories.tsx": () => import("./pages/settings/repositories.tsx"),
  "settings/agent.tsx": () => import("./pages/settings/agent.tsx"),
  "settings/backups.tsx": () => import("./pages/settings/backups.tsx"),
  "settings/organisation.tsx": () => import("./pages/settings/organisation.tsx"),
  "notices/page.tsx": () => import("./pages/notices/page.tsx"),
  "settings/mail.tsx": () => import("./pages/settings/mail.tsx"),
  "settings/audit.tsx": () => import("./pages/settings/audit.tsx"),
  "settings/people.tsx": () => import("./pages/settings/people.tsx"),
  "settings/profile.tsx": () => import("./pages/settings/profile.tsx"),
  "settings/sessions.tsx": () => import("./pages/settings/sessions.tsx"),
  "settings/appearance.tsx": () => import("./pages/settings/appearance.tsx"),
};
