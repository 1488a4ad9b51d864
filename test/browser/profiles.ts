import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/**
 * A browser profile for one test after the other. Its process and its cache of scripts and styles outlive a test;
 * starting and filling them anew costs more than the page of the test.
 */
interface Profile {
  context: BrowserContext;
  /** The page for the next test: blank, and opened before the pages of the last test were closed. */
  next: Page;
  /** Every origin that may have stored something in the profile. */
  visited: Set<string>;
  /** Whether a test changed the whole profile by a call that nothing takes back. */
  isSpoiled: boolean;
}

export interface ProfileOptions extends Omit<BrowserContextOptions, "storageState"> {
  cookies?: Parameters<BrowserContext["addCookies"]>[0];
}

/** Profiles that no test uses at the moment, by the options with which they were made. */
const idle = new WeakMap<Browser, Map<string, Profile[]>>();

/** Few tests open more windows at a time: the processes of further profiles are not worth their memory. */
const maxIdle = 2;

/** Milliseconds after which the pages of a profile count as hung. */
const hangLimit = 60_000;

/** Milliseconds after which what a page was to show counts as missing: far more than a busy machine takes. */
const waitLimit = 60_000;

/**
 * A new page of an empty profile, and the function that gives the profile back. Listeners, routes, emulation and
 * whatever still waits end with the page; a profile that cannot be emptied is closed.
 */
export async function takeProfile(browser: Browser, { cookies = [], permissions = [], ...fixed }: ProfileOptions) {
  const others = idleProfiles(browser, JSON.stringify(fixed));
  const profile = others.pop() ?? (await newProfile(browser, fixed));
  const { context, next: page } = profile;
  if (cookies.length > 0) await context.addCookies(cookies);
  if (permissions.length > 0) await context.grantPermissions(permissions);
  let isGivenBack = false;
  const giveBack = async () => {
    // A second call would close the pages of another test.
    if (isGivenBack) return;
    isGivenBack = true;
    if (!profile.isSpoiled && others.length < maxIdle && (await isEmptied(profile))) others.push(profile);
    else await context.close();
  };
  return { page, giveBack };
}

function idleProfiles(browser: Browser, options: string): Profile[] {
  const profiles = idle.getOrInsertComputed(browser, () => new Map<string, Profile[]>());
  return profiles.getOrInsertComputed(options, () => []);
}

async function newProfile(browser: Browser, options: BrowserContextOptions): Promise<Profile> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(waitLimit);
  const profile: Profile = { context, next: await context.newPage(), visited: new Set(), isSpoiled: false };
  context.on("request", (request) => {
    if (request.url().startsWith("http")) profile.visited.add(new URL(request.url()).origin);
  });
  const spoil = () => {
    profile.isSpoiled = true;
  };
  callBefore(context, lasting, spoil);
  callBefore(context.clock, lastingClock, spoil);
  return profile;
}

/** Calls with which a test changes a profile for all its pages to come. */
const lasting = [
  ...(["addInitScript", "exposeBinding", "exposeFunction", "on", "once", "route", "routeFromHAR"] as const),
  ...(["routeWebSocket", "setDefaultNavigationTimeout", "setDefaultTimeout", "setExtraHTTPHeaders"] as const),
  ...(["setGeolocation", "setHTTPCredentials", "setOffline"] as const),
];
const lastingClock = [
  "fastForward",
  "install",
  "pauseAt",
  "resume",
  "runFor",
  "setFixedTime",
  "setSystemTime",
] as const;

function callBefore<T extends object>(target: T, names: readonly (keyof T)[], first: () => void) {
  for (const name of names) {
    const method = target[name] as (...given: unknown[]) => unknown;
    Object.assign(target, {
      [name](...given: unknown[]) {
        first();
        return method.apply(target, given);
      },
    });
  }
}

async function isEmptied(profile: Profile): Promise<boolean> {
  const limit = Promise.withResolvers<false>();
  const timer = setTimeout(() => limit.resolve(false), hangLimit);
  const emptied = empty(profile).then(
    () => true,
    () => false,
  );
  const isEmpty = await Promise.race([emptied, limit.promise]);
  clearTimeout(timer);
  return isEmpty;
}

async function empty(profile: Profile) {
  const { context, visited } = profile;
  const used = context.pages();
  // Opened first, since a process ends with its last page.
  profile.next = await context.newPage();
  await Promise.all(used.map((page) => page.close()));
  const devtools = await context.newCDPSession(profile.next);
  const emptying = [...visited].map((origin) =>
    devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" }),
  );
  await Promise.all([...emptying, context.clearCookies(), context.clearPermissions()]);
  await devtools.detach();
  visited.clear();
}
