import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { choose } from "../../release/choose.ts";
import { components } from "../../release/components.ts";
import { type Entry, file } from "../../release/entry.ts";
import { formula } from "../../release/formula.ts";
import { imageLayout } from "../../release/image.ts";
import { licencesText } from "../../release/licences.ts";
import { releaseNotes } from "../../release/notes.ts";
import { packageConfig } from "../../release/packages.ts";
import { releaseKey, withoutKey } from "../../release/release-key.ts";
import { sbom } from "../../release/sbom.ts";
import { tar } from "../../release/tar.ts";
import { archiveName, targets } from "../../release/targets.ts";
import { zip } from "../../release/zip.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = join(import.meta.dir, "../..");
const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const seconds = 1_790_000_000;
const entries: Entry[] = [
  file("a/program", "#!/bin/sh\n", 0o755),
  file(`a/${"long-".repeat(18)}/${"name-".repeat(15)}`, "x".repeat(600)),
  { path: "a", kind: "folder", mode: 0o755 },
  { path: "a/link", kind: "link", to: "program" },
];

test("archives are the same bytes in any order of their files, and tar and python read them", () => {
  expect(tar(entries.toReversed(), seconds)).toEqual(tar(entries, seconds));
  expect(zip(entries.toReversed(), seconds)).toEqual(zip(entries, seconds));
  writeFileSync(join(folder, "a.tar"), tar(entries, seconds));
  writeFileSync(join(folder, "a.zip"), zip(entries, seconds));
  const list = Bun.spawnSync(["tar", "--numeric-owner", "--utc", "-tvf", "a.tar"], { cwd: folder });
  expect([list.exitCode, list.stderr.toString()]).toEqual([0, ""]);
  const lines = list.stdout.toString().trim().split("\n");
  expect(lines[0]).toMatch(/^drwxr-xr-x 0\/0 +0 2026-09-21 14:13 a\/$/);
  expect(lines.some((line) => /^lrwxrwxrwx 0\/0 .* a\/link -> program$/.test(line))).toBe(true);
  expect(lines.some((line) => /^-rwxr-xr-x 0\/0 .* a\/program$/.test(line))).toBe(true);
  expect(lines.some((line) => line.endsWith(`/${"name-".repeat(15)}`))).toBe(true);
  const python = "import zipfile; z = zipfile.ZipFile('a.zip'); print(z.testzip(), sorted(z.namelist())[1])";
  expect(Bun.spawnSync(["python3", "-c", python], { cwd: folder }).stdout.toString()).toBe("None a/program\n");
});

test("release notes are the section of the version", () => {
  const changelog =
    "# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-01-02\n\n- new\n\n## [1.0.0] - 2026-01-01\n\n- old\n";
  expect(releaseNotes(changelog, "1.1.0")).toBe("- new\n");
  expect(releaseNotes(changelog, "1.0.0")).toBe("- old\n");
  expect(() => releaseNotes(changelog, "1.2.0")).toThrow("has no section");
  expect(() => releaseNotes(changelog, "Unreleased")).toThrow("is empty");
});

const { direct, all } = components(root);

test("the bill of materials has every library that is inside, as bun.lock pins it, and what needs what", () => {
  const text = sbom({ version: "1.2.3", commit: "c".repeat(40), seconds }, direct, all);
  expect(sbom({ version: "1.2.3", commit: "c".repeat(40), seconds }, direct, all)).toBe(text);
  const { components: listed, dependencies } = JSON.parse(text);
  const refs = listed.map((one: { "bom-ref": string }) => one["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  const { dependencies: wanted } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const [name, version] of Object.entries(wanted)) {
    expect(refs).toContain(`pkg:npm/${name.replace("@", "%40")}@${version}`);
  }
  for (const { hashes, type } of listed) if (type === "library") expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
  for (const { dependsOn } of dependencies) for (const one of dependsOn) expect(refs).toContain(one);
  // Tools of development are not inside.
  expect(text).not.toContain("typescript");
});

test("the licences of everything inside are whole texts", () => {
  const text = licencesText(root, all);
  for (const { name, version } of all) expect(text).toContain(`${name} ${version} (`);
  expect(all.filter(({ licenceText }) => licenceText.length < 500).map(({ name }) => name)).toEqual([]);
  expect(text).toContain("JavaScriptCore");
});

test("packages have nothing that others may write, a conffile for settings, and scripts that delete nothing", () => {
  const [linux] = targets;
  if (!linux) throw new Error("there is no target");
  for (const packager of ["deb", "rpm"] as const) {
    const made = {
      version: "1.2.3",
      seconds,
      target: linux,
      binary: process.execPath,
      man: new Map([["intake.1", "page"]]),
      completions: { bash: "b", zsh: "z", fish: "f" },
      licences: "l",
      changelog: "c",
    };
    const { contents, scripts } = packageConfig(packager, root, join(folder, packager), made);
    type Content = {
      dst: string;
      src: string;
      type?: string;
      file_info: { mode: number; owner: string; mtime: string };
    };
    for (const { dst, file_info } of contents as Content[]) {
      expect([dst, file_info.mode & 0o022, file_info.owner]).toEqual([dst, 0, "root"]);
      expect(file_info.mtime).toBe(new Date(seconds * 1000).toISOString());
    }
    const byPath = new Map((contents as Content[]).map((one) => [one.dst, one]));
    expect(byPath.get("/etc/intake/environment")).toMatchObject({
      type: "config|noreplace",
      file_info: { mode: 0o600 },
    });
    expect(readFileSync(byPath.get("/usr/lib/systemd/system/intake.service")?.src ?? "", "utf8")).toContain(
      "ExecStart=/usr/bin/intake serve --data /var/lib/intake",
    );
    for (const path of Object.values(scripts)) {
      expect(readFileSync(path, "utf8")).not.toMatch(/\brm\b|userdel|find |unlink|shred/);
      expect(Bun.spawnSync(["sh", "-n", path]).exitCode).toBe(0);
      expect(statSync(path).mode & 0o022).toBe(0);
    }
  }
});

test("the image is the same bytes again, runs as nobody, knows its health and names what is in it by digest", () => {
  const platforms = targets
    .filter(({ linux }) => linux)
    .map((target) => ({
      target,
      binary: Buffer.from("binary"),
      libraries: [file("lib/libc.so.6", "c")],
      licences: "l",
    }));
  const made = { version: "1.2.3", commit: "c".repeat(40), seconds };
  const layout = imageLayout(made, platforms);
  expect(imageLayout(made, platforms)).toEqual(layout);
  const image = join(folder, "image");
  mkdirSync(image);
  writeFileSync(join(folder, "image.tar"), layout);
  expect(Bun.spawnSync(["tar", "-xf", join(folder, "image.tar"), "-C", image]).exitCode).toBe(0);
  const blobs = readdirSync(join(image, "blobs/sha256"));
  for (const digest of blobs) {
    expect(Bun.SHA256.hash(readFileSync(join(image, "blobs/sha256", digest)), "hex")).toBe(digest);
  }
  const blob = (digest: string) => JSON.parse(readFileSync(join(image, "blobs", digest.replace(":", "/")), "utf8"));
  const index = blob(JSON.parse(readFileSync(join(image, "index.json"), "utf8")).manifests[0].digest);
  expect(index.manifests.map((one: { platform: object }) => one.platform)).toEqual([
    { os: "linux", architecture: "amd64" },
    { os: "linux", architecture: "arm64" },
  ]);
  const manifest = blob(index.manifests[0].digest);
  expect(blob(manifest.config.digest).config).toMatchObject({
    User: "65532:65532",
    Healthcheck: { Test: ["CMD", "/usr/bin/intake", "healthcheck"] },
  });
});

test("the formula names each archive with its digest", () => {
  const digests = new Map(targets.map((target, i) => [archiveName("1.2.3", target), String(i).repeat(64)]));
  const text = formula("1.2.3", "https://example.org/v1.2.3", digests);
  for (const [name, digest] of digests) {
    if (name.endsWith(".zip")) expect(text).not.toContain(name);
    else expect(text).toContain(`url "https://example.org/v1.2.3/${name}"\n      sha256 "${digest}"`);
  }
  expect(() => formula("1.2.4", "https://example.org", digests)).toThrow("there is no");
});

test("what is no plain tag or commit never reaches git", async () => {
  for (const ref of ["", "--upload-pack=x", "v1.2.3;id", "$(id)", "v1.2", "main", "v1.2.3\n", "../x", "v1.2.3 x"]) {
    await expect(choose(root, ref)).rejects.toThrow("give a tag such as");
  }
});

test("a tag has to be the version of package.json, and the release is of the commit that it names", async () => {
  const repository = join(folder, "repository");
  mkdirSync(join(repository, "client"), { recursive: true });
  mkdirSync(join(repository, "release"));
  const git = (...args: string[]) => {
    const names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
    const { exitCode, stderr } = Bun.spawnSync(["git", ...names, ...args], { cwd: repository });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  };
  for (const path of ["package.json", "client/package.json"]) {
    writeFileSync(join(repository, path), JSON.stringify({ version: "1.2.3" }));
  }
  writeFileSync(join(repository, "release/install.sh"), "#!/bin/sh\n");
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "one");
  git("tag", "v1.2.3");
  git("tag", "v1.2.4");
  const chosen = await choose(repository, "v1.2.3");
  expect(chosen).toMatchObject({ version: "1.2.3", tagged: true, template: "#!/bin/sh\n", publicKeyFile: undefined });
  expect(await choose(repository, chosen.commit)).toEqual(chosen);
  await expect(choose(repository, "v1.2.4")).rejects.toThrow("v1.2.4 has the version 1.2.3 in package.json");
  await expect(choose(repository, "v1.2.5")).rejects.toThrow();
});

test("what builds gets no key", () => {
  const secret = { INTAKE_RELEASE_KEY: "a", INTAKE_RELEASE_KEY_FILE: "b", INTAKE_RELEASE_KEY_PASSWORD: "c" };
  expect(withoutKey({ ...secret, PATH: "p" })).toEqual({ PATH: "p" });
  expect(() => releaseKey({})).toThrow("no key");
});
