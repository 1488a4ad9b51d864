/** The second attempt finds the branch of the first. An empty repository has no branch to begin with. */
const script = `
git clone -- "$1" .
if git rev-parse --verify --quiet "refs/remotes/origin/$2" >/dev/null; then
  git switch --create "$2" --track "origin/$2"
else
  git switch --create "$2"
fi`;

/** The command that clones a repository into the folder in which it runs, on a run's branch. */
export function checkoutCommand(url: string, branch: string): string[] {
  // Other kinds of address can name programs to git.
  if (!url.startsWith("https://")) throw new Error("the repository's address does not begin with https://");
  return ["/bin/sh", "-ec", script, "sh", url, branch];
}
