import { isAdmin } from "../core/boot.ts";
import { type Look, look, setLook } from "../core/look.ts";
import { signOut } from "../core/sign-out.ts";
import type { IconName } from "../parts/icon.tsx";
import { openOverlay } from "./palette.ts";

interface Command {
  title: string;
  icon: IconName;
  /** Other words that find the command. */
  also?: string;
  run: () => void;
}

const themes: readonly [Look["theme"], string][] = [
  ["light", "Light theme"],
  ["dark", "Dark theme"],
  ["system", "Theme of the system"],
];

/** The commands that the palette offers on every page, as far as this person may use them. */
export function commands(): Command[] {
  return [
    ...(isAdmin.value
      ? ([
          { title: "New token", icon: "ticket", also: "create API token", run: () => openOverlay("token") },
          { title: "New project", icon: "board", also: "create project", run: () => openOverlay("project") },
          { title: "Invite a person", icon: "users", also: "new member, add user", run: () => openOverlay("invite") },
        ] as const)
      : []),
    { title: "API reference", icon: "file", also: "docs, OpenAPI", run: () => location.assign("/docs") },
    { title: "All shortcuts", icon: "info", also: "keyboard, help", run: () => openOverlay("help") },
    ...themes
      .filter(([theme]) => theme !== look.value.theme)
      .map(([theme, title]) => ({
        title,
        icon: "sun" as const,
        also: "theme, colours, appearance",
        run: () => setLook("theme", theme),
      })),
    { title: "Sign out", icon: "out", also: "log out", run: () => void signOut() },
  ];
}
