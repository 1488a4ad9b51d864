import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";

/** The parts of a repository's address. */
interface RepositoryAddress {
  scheme: "https" | "ssh";
  host: string;
  /** Path behind the host, beginning with a slash. */
  path: string;
}

// No part may begin with a hyphen: git or ssh would take it for an option.
const user = String.raw`[A-Za-z0-9_][\w.-]*`;
const host = `[A-Za-z0-9][A-Za-z0-9.-]*`;
const path = String.raw`[^\s\p{C}-][^\s\p{C}]*`;
const sshAddress = new RegExp(`^ssh://(?:${user}@)?(${host}|\\[[0-9A-Fa-f:.]+\\])(?::\\d{1,5})?(/${path})$`, "u");
/** The short form of an ssh address, without a scheme: `git@host:team/app.git`. */
const shortAddress = new RegExp(`^${user}@(${host}):(${path})$`, "u");

/** Parses the address of a repository; undefined for an address that runners do not clone. */
export function parseRepositoryUrl(url: string): RepositoryAddress | undefined {
  const ssh = sshAddress.exec(url) ?? shortAddress.exec(url);
  if (ssh) {
    const [, host = "", path = ""] = ssh;
    return { scheme: "ssh", host: host.toLowerCase(), path: path.startsWith("/") ? path : `/${path}` };
  }
  const parsed = /^https:\/\/[^\s\p{C}]+$/u.test(url) ? URL.parse(url) : null;
  if (!parsed || parsed.pathname === "/" || parsed.search !== "" || parsed.hash !== "") return undefined;
  // In an https address a user name is often an access token, which must not be stored.
  if (parsed.username !== "" || parsed.password !== "") return undefined;
  return { scheme: "https", host: parsed.host, path: parsed.pathname };
}

/** Checks that runners can clone the address; throws a Refusal that lists the accepted forms. */
export function requireRepositoryUrl(url: string): string {
  if (url.length > limits.urlMax || !parseRepositoryUrl(url)) {
    throw new Refusal(
      "invalid_input",
      "a repository is https://host/path, ssh://user@host/path or user@host:path, without a password or token in it: a machine that executes runs clones it with credentials of its own",
    );
  }
  return url;
}

/** Checks the name of a branch by the rules of `git check-ref-format --branch`; throws a Refusal. */
export function requireBranchName(name: string): string {
  const parts = name.split("/");
  const wrong =
    /[\s\p{C}~^:?*[\\]|\.\.|@\{/u.test(name) ||
    name.startsWith("-") ||
    name === "@" ||
    name.endsWith(".") ||
    name.length > limits.runBranchMax ||
    parts.some((part) => part === "" || part.startsWith(".") || part.endsWith(".lock"));
  if (wrong) throw new Refusal("invalid_input", "a base branch is the name of a branch, such as main");
  return name;
}
