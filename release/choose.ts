import { run } from "./run.ts";

/** What a release is made of. */
export interface Chosen {
  commit: string;
  version: string;
  tagged: boolean;
  /** When the commit was made: the time of everything in the release. */
  seconds: number;
  /** `release/minisign.pub` of that commit, if it has one. */
  publicKeyFile: string | undefined;
  /** `release/install.sh` of that commit. */
  template: string;
}

/**
 * Finds the commit of a tag or commit, and its version. A tag has to name the version of package.json. Names that are
 * not plain are refused before git sees them, although no shell does.
 */
export async function choose(root: string, ref: string): Promise<Chosen> {
  if (!/^(HEAD|v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?|[0-9a-f]{7,40})$/.test(ref)) {
    throw new Error("give a tag such as v1.2.3, a commit by its digits, or HEAD");
  }
  const git = (...args: string[]) => run(["git", "-C", root, ...args]);
  const tag = ref.startsWith("v");
  const wanted = tag ? `refs/tags/${ref}` : ref;
  const commit = (await git("rev-parse", "--verify", "--quiet", "--end-of-options", `${wanted}^{commit}`)).trim();
  const show = (path: string) => git("show", "--end-of-options", `${commit}:${path}`);
  const { version } = JSON.parse(await show("package.json")) as { version: string };
  const client = JSON.parse(await show("client/package.json")) as { version: string };
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) throw new Error("the version of package.json is none");
  if (client.version !== version) throw new Error(`package.json is ${version}, client/package.json ${client.version}`);
  const tagged = tag || (await git("tag", "--points-at", commit)).split("\n").includes(`v${version}`);
  if (tag && ref !== `v${version}`) throw new Error(`${ref} has the version ${version} in package.json`);
  const seconds = Number((await git("log", "-1", "--format=%ct", "--end-of-options", commit)).trim());
  const publicKeyFile = await show("release/minisign.pub").catch(() => undefined);
  return { commit, version, tagged, seconds, publicKeyFile, template: await show("release/install.sh") };
}
