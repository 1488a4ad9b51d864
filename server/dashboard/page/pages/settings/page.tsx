import { isAdmin } from "../../core/boot.ts";
import { narrow } from "../../core/narrow.ts";
import { Icon } from "../../parts/icon.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { PersonMenu } from "../../shell/person-menu.tsx";
import { settingsPages } from "../../shell/places.ts";

/** Lists the pages of the settings; on a phone also the links of the navigation. */
export default function Settings() {
  const pages = [
    ...settingsPages,
    { title: "Subscribers", href: "/subscribers", icon: "send" as const, does: "Who is told of reports", admin: false },
    {
      title: "API reference",
      href: "/docs",
      icon: "file" as const,
      does: "Every call, to read and to try",
      admin: false,
    },
  ];
  return (
    <>
      <Bar crumbs={crumbsOf("/settings")}>{narrow.value && <PersonMenu small />}</Bar>
      <main id="main" class="page">
        <h1>Settings</h1>
        <ul class="tiles">
          {pages.map(({ title, href, icon, does, admin }) => (
            <li key={href}>
              <a class="tile" href={href}>
                <Icon name={icon} />
                <span>
                  <b>{title}</b>
                  <small>{does}</small>
                </span>
                {admin && !isAdmin.value && <span class="pill line">Admins only</span>}
              </a>
            </li>
          ))}
        </ul>
      </main>
    </>
  );
}
