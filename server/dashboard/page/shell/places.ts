import { boot, isAdmin } from "../core/boot.ts";
import type { IconName } from "../parts/icon.tsx";

export interface PagePlace {
  title: string;
  where: string;
  href: string;
  icon: IconName;
}

/** Every page that one can go to without knowing an id. */
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
    { title: "Agent runs", where: "Organisation", href: "/runs", icon: "agent" },
    { title: "Subscribers", where: "Organisation", href: "/subscribers", icon: "send" },
    ...settingsPages.filter(({ admin }) => !admin || isAdmin.value).map((page) => ({ ...page, where: "Settings" })),
  ];
}

/** The pages of the settings; those of admins say so to others. */
export const settingsPages: readonly (Omit<PagePlace, "where"> & { does: string; admin: boolean })[] = [
  {
    title: "API tokens",
    href: "/settings/tokens",
    icon: "ticket",
    does: "What CI jobs, scripts and bots create tickets with",
    admin: true,
  },
  { title: "SDK keys", href: "/settings/keys", icon: "key", does: "What apps submit reports with", admin: false },
  { title: "Members", href: "/settings/members", icon: "users", does: "People, roles and invitations", admin: true },
  {
    title: "Repositories",
    href: "/settings/repositories",
    icon: "branch",
    does: "Where the agent may open pull requests",
    admin: true,
  },
  { title: "Agent", href: "/settings/agent", icon: "agent", does: "Credits, and who may start runs", admin: true },
  {
    title: "Organisation",
    href: "/settings/organisation",
    icon: "gear",
    does: "Name, address, what is kept and how long, storage",
    admin: true,
  },
  { title: "Audit", href: "/settings/audit", icon: "shield", does: "Who changed what, and when", admin: true },
  { title: "Profile", href: "/settings/profile", icon: "users", does: "Your name and password", admin: false },
  { title: "Sessions", href: "/settings/sessions", icon: "phone", does: "Where you are signed in", admin: false },
  {
    title: "Appearance",
    href: "/settings/appearance",
    icon: "expand",
    does: "Theme, density, times and shortcuts",
    admin: false,
  },
];
