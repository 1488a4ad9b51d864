import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A library that is inside the binary. */
export interface Component {
  /** Its place in bun.lock: `elysia`, or `elysia/cookie` for a copy of its own. */
  key: string;
  name: string;
  version: string;
  /** `sha512-…`, as the registry signs it. */
  integrity: string;
  licence: string;
  licenceText: string;
  /** Keys of what it needs. */
  needs: string[];
}

type Locked = [id: string, registry: string, about: Record<string, Record<string, string>>, integrity: string];

/** Everything that `dependencies` of package.json lead to, as bun.lock pins it; tools of development are not in the binary. */
export function components(root: string): { direct: string[]; all: Component[] } {
  const lock = Bun.JSONC.parse(readFileSync(join(root, "bun.lock"), "utf8")) as {
    workspaces: { "": { dependencies: Record<string, string> } };
    packages: Record<string, Locked>;
  };
  const found = new Map<string, Component>();
  const add = (key: string) => {
    const entry = lock.packages[key];
    if (!entry || found.has(key)) return;
    const [id, , about, integrity] = entry;
    const split = id.lastIndexOf("@");
    const needs = Object.keys({ ...about["dependencies"], ...installedPeers(about) }).flatMap((name) => {
      return resolve(key, name, lock.packages) ?? [];
    });
    const component = { key, name: id.slice(0, split), version: id.slice(split + 1), integrity, needs };
    found.set(key, { ...component, ...licenceOf(join(root, "node_modules", ...folderOf(key, lock.packages))) });
    for (const need of needs) add(need);
  };
  const direct = Object.keys(lock.workspaces[""].dependencies);
  for (const name of direct) add(name);
  return { direct, all: [...found.values()].sort((one, other) => (one.key < other.key ? -1 : 1)) };
}

/** Peers that are not optional are loaded by the library and so are inside. */
function installedPeers({ peerDependencies = {}, ...about }: Record<string, Record<string, string>>) {
  const optional: unknown = about["optionalPeers"];
  return Object.fromEntries(
    Object.entries(peerDependencies).filter(([name]) => !Array.isArray(optional) || !optional.includes(name)),
  );
}

/** A library's own copy goes before the one that all share. */
function resolve(key: string, name: string, packages: Record<string, Locked>): string | undefined {
  return [`${key}/${name}`, name].find((candidate) => candidate in packages);
}

/** The folders of a package below node_modules: a copy of a library's own lies in that library's folder. */
function folderOf(key: string, packages: Record<string, Locked>): string[] {
  const owner = Object.keys(packages)
    .filter((other) => key.startsWith(`${other}/`))
    .sort((one, other) => other.length - one.length)[0];
  if (owner === undefined) return [key];
  return [...folderOf(owner, packages), "node_modules", key.slice(owner.length + 1)];
}

function licenceOf(folder: string): { licence: string; licenceText: string } {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { license?: string; name: string };
  if (!manifest.license) throw new Error(`${manifest.name} names no licence`);
  const file = readdirSync(folder)
    .sort()
    .find((name) => /^(licen[cs]e|copying)(\.\w+)?$/i.test(name));
  const readme = join(folder, "README.md");
  const inReadme = existsSync(readme)
    ? /^#+ *licen[cs]e\b[\s\S]*/im.exec(readFileSync(readme, "utf8"))?.[0]
    : undefined;
  const text = file ? readFileSync(join(folder, file), "utf8") : (inReadme ?? `Licence: ${manifest.license}`);
  return { licence: manifest.license, licenceText: text.trim() };
}
