import { expect, test } from "bun:test";
import { isPullRequestOf } from "./pull-request-url.ts";

const addresses = [
  "https://git.example.org/team/app.git",
  "ssh://git@git.example.org:2222/team/app.git",
  "git@git.example.org:team/app.git",
];

test.each(addresses)("pull requests of %s", (repository) => {
  for (const url of ["https://git.example.org/team/app/pull/4", "https://git.example.org/Team/App/pull/4"]) {
    expect([url, isPullRequestOf(url, repository)]).toEqual([url, true]);
  }
  for (const url of [
    "https://git.example.org/team/application/pull/4",
    "https://git.example.org/team/app",
    "https://elsewhere.example/team/app/pull/4",
    "https://git.example.org.elsewhere.example/team/app/pull/4",
    "https://git.example.org@elsewhere.example/team/app/pull/4",
    "https://user@git.example.org/team/app/pull/4",
    "http://git.example.org/team/app/pull/4",
    "git@git.example.org:team/app/pull/4",
    "nonsense",
  ]) {
    expect([url, isPullRequestOf(url, repository)]).toEqual([url, false]);
  }
});

test("the port is that of the repository over https, and any where it is cloned over ssh", () => {
  const url = "https://git.example.org:8443/team/app/pull/4";
  expect(addresses.map((repository) => isPullRequestOf(url, repository))).toEqual([false, true, true]);
  expect(isPullRequestOf(url, "https://git.example.org:8443/team/app")).toBe(true);
});
