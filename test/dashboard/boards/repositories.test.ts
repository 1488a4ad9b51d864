import { afterAll, beforeAll, expect, test } from "bun:test";
import { bindRepository } from "../../../server/boards/repositories.ts";
import { type Installation, install } from "../../support/installation.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

const projectId = () => installation.made.project.id;

test("what runners clone is bound, and nothing else; a refusal says what is possible", async () => {
  const bind = (url: string, baseBranch?: string) =>
    bindRepository({ ctx: installation.ctx, input: { projectId: projectId(), url, baseBranch } }).then(
      () => "bound",
      ({ code, message }) => `${code}: ${message}`,
    );
  for (const url of [
    "https://git.example.org:8443/team/b.git",
    "ssh://git@git.example.org:2222/team/b.git",
    "ssh://git.example.org/~ada/b",
    "ssh://git@[::1]/b",
    "deploy@git.example.org:/srv/git/b.git",
    "git@git.example.org:~/b",
  ]) {
    expect([url, await bind(url)]).toEqual([url, "bound"]);
  }
  for (const url of [
    "http://git.example.org/b.git",
    "git://git.example.org/b.git",
    "file:///srv/b.git",
    "/srv/b.git",
    "ext::sh -c id",
    "b",
    "",
    "https://git.example.org",
    "https://git.example.org/b?token=x",
    "https://git.example.org/b c",
    "git.example.org:b",
    "C:\\b",
    "ssh://-oProxyCommand=id/b",
    "ssh://git@-oProxyCommand=id/b",
    "ssh://-l@git.example.org/b",
    "-u@git.example.org:b",
    "git@-oProxyCommand=id:b",
    "git@git.example.org:-oX",
    "git@git.example.org:",
    "ssh://git.example.org",
    "ssh://git@git.example.org/b\n",
    `https://git.example.org/${"b".repeat(2048)}`,
  ]) {
    expect([url, await bind(url)]).toEqual([
      url,
      expect.stringMatching(/^invalid_input: .*https.*ssh:.*user@host:path/),
    ]);
  }
  for (const branch of ["", "-x", "a b", "a..b", "a~1", "a/", "/a", "a.lock", ".a", "a@{1}", "@", "a\\b", "a\0b"]) {
    const told = await bind("https://git.example.org/branches", branch);
    expect([branch, told]).toEqual([branch, expect.stringContaining("a base branch is")]);
  }
  expect(await bind("https://git.example.org/branches", "release/2.x")).toBe("bound");
});

test("an address with a secret in it is not bound: members and the audit log would show it", async () => {
  const bind = (url: string) =>
    bindRepository({ ctx: installation.ctx, input: { projectId: installation.made.project.id, url } }).then(
      () => "bound",
      ({ code }) => code,
    );
  for (const url of ["https://ghp_secret@git.example.org/a.git", "https://u:p@git.example.org/a", "ssh://git:p@h/a"]) {
    expect([url, await bind(url)]).toEqual([url, "invalid_input"]);
  }
  for (const url of ["https://git.example.org/a.git", "ssh://git@git.example.org/a", "git@git.example.org:a.git"]) {
    expect([url, await bind(url)]).toEqual([url, "bound"]);
  }
});
