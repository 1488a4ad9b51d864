import { type PagePath, pageAt } from "../../pages.ts";
import { boot, isAdmin } from "../core/boot.ts";
import type { IconName } from "../parts/icon.tsx";

interface PagePlace {
  title: string;
  where: string;
  href: string;
  icon: IconName;
}

/** Every page that can be opened without knowing an id. */
export function places(): PagePlace[] {
  const found: PagePlace[] = boot.value.projects.flatMap(({ id, name, boards }) => [
    { title: `${name} overview`, where: "Project", href: `/p/${id}`, icon: "board" as const },
    ...boards.map((board) => ({
      title: board.name,
      where: name,
      href: `/p/${id}/boards/${board.id}`,
      icon: "board" as const,
    })),
    { title: `${name} reports`, where: "Reports", href: `/p/${id}/reports`, icon: "report" as const },
  ]);
  return [
    ...found,
    { ...pagePlace("/runs", "agent"), where: "Organisation" },
    { ...pagePlace("/subscribers", "send"), where: "Organisation" },
    ...settingsPages.filter(({ admin }) => !admin || isAdmin.value).map((page) => ({ ...page, where: "Settings" })),
  ];
}

/** The pages of the settings. Pages for admins say so to other members. */
export const settingsPages = [
  { ...pagePlace("/settings/tokens", "ticket"), does: "What CI jobs, scripts and bots create tickets with" },
  { ...pagePlace("/settings/keys", "key"), does: "What apps submit reports with" },
  { ...pagePlace("/settings/members", "users"), does: "People, roles and invitations" },
  { ...pagePlace("/settings/sign-in", "key"), does: "Identity providers: who signs in with them, and as what" },
  { ...pagePlace("/settings/repositories", "branch"), does: "Where the agent may open pull requests" },
  { ...pagePlace("/settings/agent", "agent"), does: "Credits, and who may start runs" },
  { ...pagePlace("/settings/organisation", "gear"), does: "Name, address, what is kept and how long, storage" },
  { ...pagePlace("/settings/backups", "disk"), does: "Where, how often, and how the last one went" },
  { ...pagePlace("/settings/mail", "send"), does: "The mail server, a test of it, what became of mails" },
  { ...pagePlace("/notices", "alert"), does: "What needs an admin, and what did" },
  { ...pagePlace("/settings/audit", "shield"), does: "Who changed what, and when" },
  { ...pagePlace("/settings/people", "search"), does: "What reports have of a person: find, export, delete" },
  { ...pagePlace("/settings/profile", "users"), does: "Your name, password, passkeys and second factor" },
  { ...pagePlace("/settings/sessions", "phone"), does: "Where you are signed in" },
  { ...pagePlace("/settings/appearance", "expand"), does: "Theme, density, times and shortcuts" },
];

function pagePlace(path: PagePath, icon: IconName) {
  const { title, access } = pageAt(path);
  return { title, href: path, icon, admin: access === "admin" };
}
