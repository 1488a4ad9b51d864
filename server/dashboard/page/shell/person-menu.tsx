import { boot } from "../core/boot.ts";
import { look, setLook } from "../core/look.ts";
import { go } from "../core/router.ts";
import { signOut } from "../core/sign-out.ts";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { Who } from "../parts/who.tsx";
import { openOverlay } from "./palette.ts";

/** The menu of the signed-in person; `small` on a phone, which has no room for the name. */
export function PersonMenu({ small = false }: { small?: boolean }) {
  const { member } = boot.value;
  if (!member) return null;
  const dark = isDark();
  return (
    <Menu
      label={member.name}
      class={small ? "btn ghost square" : "nav self"}
      items={[
        { label: "Profile", icon: "users", run: () => go("/settings/profile") },
        { label: "Sessions", icon: "phone", run: () => go("/settings/sessions") },
        {
          label: dark ? "Light theme" : "Dark theme",
          icon: "sun",
          run: () => setLook("theme", dark ? "light" : "dark"),
        },
        { label: "Appearance", icon: "expand", run: () => go("/settings/appearance") },
        { label: "All shortcuts", icon: "info", run: () => openOverlay("help") },
        { label: "API reference", icon: "file", href: "/docs" },
        { label: "Sign out", icon: "out", run: () => void signOut() },
      ]}
    >
      <Who kind="member" name={member.name} />
      <span class={small ? "sr-only" : "ellipsis"} dir="auto">
        {member.name}
      </span>
      {!small && <Icon name="dots" small />}
    </Menu>
  );
}

function isDark(): boolean {
  const { theme } = look.value;
  return theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}
