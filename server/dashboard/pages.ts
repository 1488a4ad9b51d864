/** A page of the dashboard. */
interface PageEntry {
  /** Pattern of the page's addresses: `:name` stands for one part. */
  path: string;
  /** Title in the bar and of the window, unless the page has a more exact name. */
  title: string;
  /**
   * Who may see the page: everybody, people who are signed in, or admins. The document of a page for admins is a 403
   * for other members, and the page says so too.
   */
  access: "unauthenticated" | "member" | "admin";
  /** Its module, below `page/pages/`: loaded in a browser when the page is first needed. */
  module: string;
}

/** Every page of the dashboard: the server answers at these addresses, the page finds its modules and titles here. */
export const pages = [
  { path: "/", title: "Intake", access: "member", module: "start.tsx" },
  { path: "/setup", title: "Set up", access: "unauthenticated", module: "setup/page.tsx" },
  { path: "/sign-in", title: "Sign in", access: "unauthenticated", module: "sign-in/page.tsx" },
  { path: "/sign-in/link", title: "Sign in", access: "unauthenticated", module: "sign-in/link.tsx" },
  { path: "/second-factor", title: "Second factor", access: "member", module: "sign-in/enrol.tsx" },
  { path: "/invite", title: "Invitation", access: "unauthenticated", module: "invite/page.tsx" },
  { path: "/reset", title: "New password", access: "unauthenticated", module: "invite/page.tsx" },
  { path: "/search", title: "Search", access: "member", module: "search/page.tsx" },
  { path: "/p/:project", title: "Overview", access: "member", module: "overview/page.tsx" },
  { path: "/p/:project/boards/:board", title: "Board", access: "member", module: "board/page.tsx" },
  { path: "/p/:project/reports", title: "Reports", access: "member", module: "reports/page.tsx" },
  { path: "/cards/:card", title: "Card", access: "member", module: "card/page.tsx" },
  { path: "/reports/:report", title: "Report", access: "member", module: "report/page.tsx" },
  { path: "/runs", title: "Agent runs", access: "member", module: "runs/page.tsx" },
  { path: "/runs/:run", title: "Run", access: "member", module: "run/page.tsx" },
  { path: "/subscribers", title: "Subscribers", access: "member", module: "subscribers/list.tsx" },
  { path: "/subscribers/:subscriber", title: "Subscriber", access: "admin", module: "subscribers/page.tsx" },
  {
    path: "/subscribers/:subscriber/deliveries/:delivery",
    title: "Delivery",
    access: "admin",
    module: "subscribers/page.tsx",
  },
  { path: "/notices", title: "Notices", access: "admin", module: "notices/page.tsx" },
  { path: "/settings", title: "Settings", access: "member", module: "settings/page.tsx" },
  { path: "/settings/tokens", title: "API tokens", access: "admin", module: "settings/tokens.tsx" },
  { path: "/settings/tokens/:token", title: "API token", access: "admin", module: "settings/token.tsx" },
  { path: "/settings/keys", title: "SDK keys", access: "member", module: "settings/keys.tsx" },
  { path: "/settings/members", title: "Members", access: "admin", module: "settings/members.tsx" },
  { path: "/settings/sign-in", title: "Sign-in", access: "admin", module: "settings/sign-in.tsx" },
  { path: "/settings/repositories", title: "Repositories", access: "admin", module: "settings/repositories.tsx" },
  { path: "/settings/agent", title: "Agent", access: "admin", module: "settings/agent.tsx" },
  { path: "/settings/organisation", title: "Organisation", access: "admin", module: "settings/organisation.tsx" },
  { path: "/settings/backups", title: "Backups", access: "admin", module: "settings/backups.tsx" },
  { path: "/settings/mail", title: "Mail", access: "admin", module: "settings/mail.tsx" },
  { path: "/settings/audit", title: "Audit", access: "admin", module: "settings/audit.tsx" },
  { path: "/settings/people", title: "Personal data", access: "admin", module: "settings/people.tsx" },
  { path: "/settings/profile", title: "Profile", access: "member", module: "settings/profile.tsx" },
  { path: "/settings/sessions", title: "Sessions", access: "member", module: "settings/sessions.tsx" },
  { path: "/settings/appearance", title: "Appearance", access: "member", module: "settings/appearance.tsx" },
] as const satisfies readonly PageEntry[];

export type Page = (typeof pages)[number];
export type PagePath = Page["path"];
export type PageModule = Page["module"];

export function pageAt<P extends PagePath>(path: P): Extract<Page, { path: P }> {
  return pages.find((page) => page.path === path) as Extract<Page, { path: P }>;
}
