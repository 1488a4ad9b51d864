import type { ComponentChildren } from "preact";
import { isAdmin } from "../core/boot.ts";
import { AdminsOnly } from "../parts/admins-only.tsx";
import { Icon } from "../parts/icon.tsx";
import { Bar, crumbsOf } from "./bar.tsx";

/** A page for admins: other members read that it is none for them, and none of its data is loaded. */
export function AdminPage({
  path,
  title,
  what,
  children,
}: {
  path: Parameters<typeof crumbsOf>[0];
  /** The heading for other members; the children have the heading for admins. */
  title: string;
  /** What only admins may do, as the end of a sentence. */
  what: string;
  children: ComponentChildren;
}) {
  return (
    <>
      <Bar crumbs={crumbsOf(path)}>
        <span class="pill line hide-narrow">
          <Icon name="shield" />
          Admin only
        </span>
      </Bar>
      <main id="main" class="page">
        {isAdmin.value ? (
          children
        ) : (
          <>
            <h1>{title}</h1>
            <AdminsOnly what={what} />
          </>
        )}
      </main>
    </>
  );
}
