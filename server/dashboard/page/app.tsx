import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { CallFailed } from "./core/api.ts";
import { boot } from "./core/boot.ts";
import { useReconnected } from "./core/live.ts";
import type { PageProps } from "./core/page-props.ts";
import { matches, place } from "./core/router.ts";
import { Overlays } from "./overlays.tsx";
import { pages } from "./pages.tsx";
import { FailedOver } from "./parts/failed-over.tsx";
import { Failed, Gone } from "./parts/states.tsx";
import { Bar } from "./shell/bar.tsx";
import { Bars } from "./shell/bars.tsx";
import { PasswordDialog } from "./shell/password-dialog.tsx";
import { Rail } from "./shell/rail.tsx";
import { TabBar } from "./shell/tab-bar.tsx";
import { Spoken, Toasts } from "./shell/toasts.tsx";

/** Loaded pages by what loads them, as some have several addresses; null when loading failed. */
const loaded = signal<ReadonlyMap<Load, ComponentType<PageProps> | null>>(new Map());
type Load = (typeof pages)[number]["load"];

const signIn = "/sign-in";

/** Begins to load what the address shows, before anything is drawn. */
export async function loadShown() {
  const found = find(place.peek().path);
  await load(boot.peek().member || found?.open ? (found?.pattern ?? "") : signIn);
}

export function App() {
  const { path, behind } = place.value;
  const found = find(path);
  if (!boot.value.member && !found?.open) {
    return <Page pattern={signIn} params={{}} />;
  }
  if (found?.open) return <Page pattern={found.pattern} params={found.params} />;
  // A card or a report that was opened from a page lies over it.
  const under = behind === undefined ? undefined : find(behind.split("?")[0] ?? "");
  return (
    <div class="app">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Rail />
      <div class="main">
        <Bars />
        {under && <Page key="under" pattern={under.pattern} params={under.params} />}
        {found ? (
          <Page
            key={under ? "over" : "under"}
            pattern={found.pattern}
            params={found.params}
            over={under !== undefined}
          />
        ) : (
          <>
            <Bar crumbs={["Not found"]} />
            <main id="main" class="page">
              <h1 class="sr">Not found</h1>
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
    const params = matches(page.pattern, path);
    if (params) return { ...page, params };
  }
  return undefined;
}

function Page({
  pattern,
  params,
  over = false,
}: {
  pattern: string;
  params: Record<string, string>;
  /** Lies over another page, which stays whole. */
  over?: boolean;
}) {
  // Now, not after the next frame: so it is throughout where pages begin to load.
  useLayoutEffect(() => {
    void load(pattern);
  }, [pattern]);
  const entry = pages.find((page) => page.pattern === pattern);
  const Component = entry && loaded.value.get(entry.load);
  useReconnected(() => {
    if (Component === null) void load(pattern);
  });
  if (Component === null) {
    const failed = new CallFailed(0, "offline", "This page could not be loaded. Check the connection.");
    const again = () => void load(pattern);
    if (over) return <FailedOver title="Not loaded" failed={failed} onRetry={again} />;
    return (
      <main id="main" class="page">
        <h1 class="sr">Not loaded</h1>
        <Failed failed={failed} onRetry={again} />
      </main>
    );
  }
  if (!Component) return over ? null : <main id="main" class="page" aria-busy="true" />;
  return <Component params={params} />;
}

async function load(pattern: string) {
  const entry = pages.find((page) => page.pattern === pattern);
  if (!entry || loaded.value.get(entry.load)) return;
  const page = await entry.load().catch(() => undefined);
  loaded.value = new Map(loaded.value).set(entry.load, page?.default ?? null);
}
