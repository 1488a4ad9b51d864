import { signal } from "@preact/signals";

/**
 * The appearance that a person chose for this browser, kept in cookies so that the first paint is right without a
 * script.
 */
export interface Look {
  theme: "system" | "light" | "dark";
  density: "usual" | "compact";
  time: "local" | "utc";
  motion: "system" | "off";
  keys: "on" | "off";
}

const usual: Look = { theme: "system", density: "usual", time: "local", motion: "system", keys: "on" };
const yearSeconds = 31_536_000;

export const look = signal<Look>(readLook());

function readLook(): Look {
  const cookies = typeof document === "undefined" ? "" : document.cookie;
  const kept = Object.keys(usual).flatMap((name) => {
    const value = new RegExp(`(?:^|;\\s*)intake_${name}=(\\w+)`).exec(cookies)?.[1];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...usual, ...Object.fromEntries(kept) };
}

export function setLook<Name extends keyof Look>(name: Name, value: Look[Name]) {
  const seconds = value === usual[name] ? 0 : yearSeconds;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http
  document.cookie = `intake_${name}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax`;
  look.value = { ...look.value, [name]: value };
  if (value === usual[name]) delete document.documentElement.dataset[name];
  else document.documentElement.dataset[name] = value;
}
