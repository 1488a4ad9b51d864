import { parseRepositoryUrl } from "../repository-url.ts";

/**
 * Clones a repository ($1) and switches to the run's branch ($2): the pushed branch of an earlier attempt if there is one,
 * otherwise a new branch that starts at the base branch ($3) or at the default branch. An empty repository has neither.
 * Sets the author of commits ($4, $5) only where git has no identity configured.
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

interface Checkout {
  url: string;
  branch: string;
  /** The branch from which the run's branch starts; null for the repository's default branch. */
  baseBranch: string | null;
  /** Author of the commits where git has no identity configured. */
  author: { name: string; email: string };
}

/** The command that clones a repository into the folder in which it runs, on a run's branch. */
export function checkoutCommand({ url, branch, baseBranch, author }: Checkout): string[] {
  // Addresses of other kinds, such as `ext::`, make git run programs.
  if (!parseRepositoryUrl(url)) {
    throw new Error("the repository's address is neither https://host/path nor one of ssh");
  }
  return ["/bin/sh", "-ec", script, "sh", url, branch, baseBranch ?? "", author.name, author.email];
}
