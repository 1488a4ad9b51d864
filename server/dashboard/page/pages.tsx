import type { ComponentType } from "preact";
import type { PageProps } from "./core/page-props.ts";

type Page = ComponentType<PageProps>;

interface PageEntry {
  pattern: string;
  load: () => Promise<{ default: Page }>;
  /** Shown without a session. */
  open?: true;
  /** For admins alone: whoever is none reads so there, and the server answers the document with 403. */
  admin?: true;
}

const subscriber = () => import("./pages/subscribers/page.tsx");

/** Which page an address shows. Each is loaded when it is first needed. */
export const pages: readonly PageEntry[] = [
  { pattern: "/setup", open: true, load: () => import("./pages/setup/page.tsx") },
  { pattern: "/sign-in", open: true, load: () => import("./pages/sign-in/page.tsx") },
  { pattern: "/invite", open: true, load: () => import("./pages/invite/page.tsx") },
  { pattern: "/reset", open: true, load: () => import("./pages/invite/page.tsx") },
  { pattern: "/", load: () => import("./pages/start.tsx") },
  { pattern: "/p/:project/boards/:board", load: () => import("./pages/board/page.tsx") },
  { pattern: "/cards/:card", load: () => import("./pages/card/page.tsx") },
  { pattern: "/p/:project/reports", load: () => import("./pages/reports/page.tsx") },
  { pattern: "/reports/:report", load: () => import("./pages/report/page.tsx") },
  { pattern: "/runs", load: () => import("./pages/runs/page.tsx") },
  { pattern: "/runs/:run", load: () => import("./pages/run/page.tsx") },
  { pattern: "/settings/agent", admin: true, load: () => import("./pages/settings/agent.tsx") },
  { pattern: "/p/:project", load: () => import("./pages/overview/page.tsx") },
  { pattern: "/search", load: () => import("./pages/search/page.tsx") },
  { pattern: "/settings", load: () => import("./pages/settings/page.tsx") },
  { pattern: "/settings/members", admin: true, load: () => import("./pages/settings/members.tsx") },
  { pattern: "/settings/audit", admin: true, load: () => import("./pages/settings/audit.tsx") },
  { pattern: "/settings/profile", load: () => import("./pages/settings/profile.tsx") },
  { pattern: "/settings/sessions", load: () => import("./pages/settings/sessions.tsx") },
  { pattern: "/settings/appearance", load: () => import("./pages/settings/appearance.tsx") },
  { pattern: "/settings/tokens", admin: true, load: () => import("./pages/settings/tokens.tsx") },
  { pattern: "/settings/tokens/:token", admin: true, load: () => import("./pages/settings/token.tsx") },
  { pattern: "/subscribers", load: () => import("./pages/subscribers/list.tsx") },
  { pattern: "/subscribers/:subscriber", admin: true, load: subscriber },
  { pattern: "/subscribers/:subscriber/deliveries/:delivery", admin: true, load: subscriber },
  { pattern: "/settings/keys", load: () => import("./pages/settings/keys.tsx") },
  { pattern: "/settings/repositories", admin: true, load: () => import("./pages/settings/repositories.tsx") },
  { pattern: "/settings/organisation", admin: true, load: () => import("./pages/settings/organisation.tsx") },
];
