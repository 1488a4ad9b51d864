/**
 * The section of a version in CHANGELOG.md, without its heading; `Unreleased` for a commit that has no tag. Links to
 * files of the repository are left as they are.
 */
export function releaseNotes(changelog: string, version: string): string {
  const heading = `## [${version}]`;
  const lines = changelog.split("\n");
  const from = lines.findIndex((line) => line.startsWith(heading));
  if (from < 0) throw new Error(`CHANGELOG.md has no section ${heading}`);
  const length = lines.slice(from + 1).findIndex((line) => line.startsWith("## "));
  const text = lines
    .slice(from + 1, length < 0 ? undefined : from + 1 + length)
    .join("\n")
    .trim();
  if (text === "") throw new Error(`the section ${heading} of CHANGELOG.md is empty`);
  return `${text}\n`;
}
