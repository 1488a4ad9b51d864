import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { type Page as PageEntry, type PageModule, pageAt, pages } from "../pages.ts";
import { CallFailed } from "./core/api.ts";
import { boot } from "./core/boot.ts";
import { useReconnected } from "./core/live.ts";
import { matches, place } from "./core/router.ts";
import { loadPage, type PageComponent } from "./load-page.ts";
import { Overlays } from "./overlays.tsx";
import { FailedOver } from "./parts/failed-over.tsx";
import { Failed, Gone } from "./parts/states.tsx";
import { Banners } from "./shell/banners.tsx";
import { Bar } from "./shell/bar.tsx";
import { PasswordDialog } from "./shell/password-dialog.tsx";
import { Rail } from "./shell/rail.tsx";
import { TabBar } from "./shell/tab-bar.tsx";
import { Spoken, Toasts } from "./shell/toasts.tsx";

/** Loaded pages by their modules, because several addresses may have the same module; null when loading failed. */
const loaded = signal<ReadonlyMap<PageModule, PageComponent | null>>(new Map());

/** Begins to load the page of the address before anything is rendered. */
export async function loadShown() {
  const page = find(place.peek().path)?.page;
  const { member, mustEnrol } = boot.peek();
  const own = mustEnrol ? pageAt("/second-factor") : page;
  const shown = member || page?.access === "unauthenticated" ? own : pageAt("/sign-in");
  if (shown) await load(shown.module);
}

export function App() {
  const { path, behind } = place.value;
  const found = find(path);
  if (found?.page.access === "unauthenticated") return <Page page={found.page} params={found.params} />;
  if (!boot.value.member) return <Page page={pageAt("/sign-in")} params={{}} />;
  if (boot.value.mustEnrol) {
    return (
      <>
        <Page page={pageAt("/second-factor")} params={{}} />
        <PasswordDialog />
        <Toasts />
        <Spoken />
      </>
    );
  }
  // A card or report that was opened from another page is shown over that page.
  const under = behind === undefined ? undefined : find(behind.split("?")[0] ?? "");
  return (
    <div class="app">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Rail />
      <div class="main">
        <Banners />
        {under && <Page key="under" page={under.page} params={under.params} />}
        {found ? (
          <Page key={under ? "over" : "under"} page={found.page} params={found.params} over={under !== undefined} />
        ) : (
          <>
            <Bar crumbs={["Not found"]} />
            <main id="main" class="page">
              <h1 class="sr-only">Not found</h1>
              <Gone />
            </main>
          </>
        )}
        <Toasts />
      </div>
      <TabBar />
      <Overlays />
      <PasswordDialog />
      <Spoken />
    </div>
  );
}

function find(path: string) {
  for (const page of pages) {
    const params = matches(page.path, path);
    if (params) return { page, params };
  }
  return undefined;
}

function Page({
  page: { module },
  params,
  over = false,
}: {
  page: PageEntry;
  params: Record<string, string>;
  /** True for a page that lies over another one, which stays mounted. */
  over?: boolean;
}) {
  // A layout effect, so that the page begins to load before the next frame.
  useLayoutEffect(() => {
    void load(module);
  }, [module]);
  const Component = loaded.value.get(module);
  useReconnected(() => {
    if (Component === null) void load(module);
  });
  if (Component === null) {
    const failed = new CallFailed(0, "offline", "This page could not be loaded. Check the connection.");
    const again = () => void load(module);
    if (over) return <FailedOver title="Not loaded" failed={failed} onRetry={again} />;
    return (
      <main id="main" class="page">
        <h1 class="sr-only">Not loaded</h1>
        <Failed failed={failed} onRetry={again} />
      </main>
    );
  }
  if (!Component) return over ? null : <main id="main" class="page" aria-busy="true" />;
  return <Component params={params} />;
}

async function load(module: PageModule) {
  if (loaded.value.get(module)) return;
  const page = await loadPage[module]().catch(() => undefined);
  loaded.value = new Map(loaded.value).set(module, page?.default ?? null);
}
