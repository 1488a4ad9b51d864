import { parseRepositoryUrl } from "../repository-url.ts";

/**
 * The second attempt finds the branch of the first. An empty repository has no branch to begin with. Where git does not
 * know whose commits these are, they are the agent's.
 */
const script = `
git clone -- "$1" .
if git rev-parse --verify --quiet "refs/remotes/origin/$2" >/dev/null; then
  git switch --create "$2" --track "origin/$2"
elif [ -n "$3" ]; then
  git switch --create "$2" --no-track "origin/$3"
else
  git switch --create "$2"
fi
if ! { git var GIT_AUTHOR_IDENT && git var GIT_COMMITTER_IDENT; } >/dev/null 2>&1; then
  git config user.name >/dev/null || git config user.name "$4"
  git config user.email >/dev/null || git config user.email "$5"
fi`;

export interface Checkout {
  url: string;
  branch: string;
  /** The repository's own default branch when null. */
  baseBranch: string | null;
  /** Whose commits these are, where git has not been told. */
  author: { name: string; email: string };
}

/** The command that clones a repository into the folder in which it runs, on a run's branch. */
export function checkoutCommand({ url, branch, baseBranch, author }: Checkout): string[] {
  // Other kinds of address can name programs to git.
  if (!parseRepositoryUrl(url)) {
    throw new Error("the repository's address is neither https://host/path nor one of ssh");
  }
  return ["/bin/sh", "-ec", script, "sh", url, branch, baseBranch ?? "", author.name, author.email];
}
