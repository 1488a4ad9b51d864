import { afterAll, beforeAll, expect, test } from "bun:test";
import { bindRepository } from "../../../server/boards/repositories.ts";
import { type Installation, install } from "../../support/installation.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

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
