import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "../run.ts";
import { archiveName, isWindows, type Target, targets } from "../targets.ts";
import { executableKind, signedPages } from "./headers.ts";
import { firstTicket, inRoot } from "./in-root.ts";

/**
 * `bun release/check/check.ts [DIR]`, as root on Debian for x64: checks the files of a release as far as this machine
 * can. It verifies signature and digests, runs what runs here (arm64 by qemu-aarch64-static, where that is installed),
 * reads the headers of the rest, installs the .deb in a new Debian (debootstrap) up to the first ticket, upgrades,
 * removes and purges it, and runs the image without a container engine.
 */
const out = resolve(process.argv[2] ?? "dist/release");
const scratch = mkdtempSync(join(tmpdir(), "intake-check-"));
const say = (text: string) => process.stdout.write(`${text}\n`);
const sums = readFileSync(join(out, "SHA256SUMS"), "utf8");
const version = /intake-(\S+)-linux-x64\.tar\.gz/.exec(sums)?.[1] ?? "";
const sbom = JSON.parse(readFileSync(join(out, `intake-${version}.cdx.json`), "utf8"));
const commit: string = sbom.metadata.component.properties[0].value;

try {
  await checkDigests();
  for (const target of targets) await checkBinary(target);
  await checkRpm();
  await checkImage();
  await checkDeb();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function checkDigests() {
  if (existsSync(join(out, "SHA256SUMS.minisig"))) {
    say((await run(["minisign", "-Vm", join(out, "SHA256SUMS"), "-p", join(out, "minisign.pub")])).trim());
  }
  await run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: out });
  say(`SHA256SUMS: ${sums.trim().split("\n").length} files agree`);
}

async function checkBinary(target: Target) {
  const folder = join(scratch, target.name);
  mkdirSync(folder);
  const archive = join(out, archiveName(version, target));
  await run(
    isWindows(target) ? ["python3", "-m", "zipfile", "-e", archive, folder] : ["tar", "-xzf", archive, "-C", folder],
  );
  const path = join(folder, `intake-${version}-${target.name}`, isWindows(target) ? "intake.exe" : "intake");
  const bytes = readFileSync(path);
  const [system, processor] = target.name.split("-");
  const expected = `${{ linux: "elf", darwin: "mach-o", windows: "pe" }[system ?? ""]} ${processor}`;
  const kind = executableKind(bytes);
  if (kind !== expected) throw new Error(`${target.name} is ${kind}`);
  if (!bytes.includes(commit)) throw new Error(`${target.name} does not have the commit ${commit} in it`);
  const facts = [kind, "has the commit in it"];
  if (system === "darwin") {
    const signed = signedPages(bytes);
    if (typeof signed === "string" ? processor === "arm64" : signed.wrong > 0)
      throw new Error(`${target.name}: ${JSON.stringify(signed)}`);
    facts.push(typeof signed === "string" ? signed : `${signed.pages} pages agree with its signature`);
  }
  const emulator = target.name === "linux-x64" ? [] : target.name === "linux-arm64" && Bun.which("qemu-aarch64-static");
  if (emulator !== false && emulator !== null) {
    facts.push(await runVersion(typeof emulator === "string" ? [emulator, "-L", await armLibraries()] : [], path));
  } else facts.push("not run");
  say(`${target.name}: ${facts.join(", ")}`);
}

async function runVersion(before: readonly string[], path: string): Promise<string> {
  const printed = JSON.parse(await run([...before, path, "version", "--json"], { env: { HOME: scratch } }));
  if (printed.version !== version || printed.commit !== commit)
    throw new Error(`${path} says ${JSON.stringify(printed)}`);
  return `runs and says ${printed.version}`;
}

/** The root of the image for arm64, which has the C library that the emulated binary needs. */
async function armLibraries(): Promise<string> {
  return unpackImage("arm64");
}

async function unpackImage(architecture: string): Promise<string> {
  const layout = join(scratch, "layout");
  if (!existsSync(layout)) {
    mkdirSync(layout);
    await run(["tar", "-xf", join(out, `intake-${version}-oci.tar`), "-C", layout]);
  }
  const root = join(scratch, `image-${architecture}`);
  if (existsSync(root)) return root;
  mkdirSync(root);
  const blob = (digest: string) => join(layout, "blobs", digest.replace(":", "/"));
  const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const index = json(blob(json(join(layout, "index.json")).manifests[0].digest));
  const found = index.manifests.find(
    (one: { platform: { architecture: string } }) => one.platform.architecture === architecture,
  );
  for (const layer of json(blob(found.digest)).layers) {
    await run(["tar", "-xzf", blob(layer.digest), "--same-owner", "--numeric-owner", "-C", root]);
  }
  return root;
}

async function checkImage() {
  const root = await unpackImage("amd64");
  mkdirSync(join(root, "proc"));
  const writable = (await run(["find", root, "-xdev", "-perm", "-o+w", "-not", "-type", "l"])).trim().split("\n");
  if (writable.join() !== join(root, "tmp")) throw new Error(`others may write ${writable.join()}`);
  await firstTicket(root, "65532:65532", "/data", { PATH: "/usr/bin" });
  say("image amd64: runs as 65532, healthy, first ticket answered with 201");
}

async function checkRpm() {
  const path = join(out, `intake-${version}-linux-x64.rpm`);
  const files = (await run(["rpm", "-qp", "--qf", "[%{FILEMODES:perms} %{FILEUSERNAME} %{FILENAMES}\\n]", path]))
    .trim()
    .split("\n");
  const strange = files.filter((line) => line[8] === "w" || line[5] === "w" || !line.includes(" root "));
  if (strange.length > 0) throw new Error(`rpm: ${strange.join("; ")}`);
  await run(["rpm", "-K", "--nosignature", path]);
  say(`rpm: ${files.length} files, none that others may write; its scripts were not run`);
}

async function checkDeb() {
  const root = join(scratch, "debian");
  await run(["debootstrap", "--variant=minbase", "bookworm", root]);
  const deb = join(out, `intake-${version}-linux-x64.deb`);
  const started = performance.now();
  await run(["dpkg", `--root=${root}`, "--install", deb]);
  const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
  const unit = readFileSync(join(root, "usr/lib/systemd/system/intake.service"), "utf8");
  if (!unit.includes("ExecStart=/usr/bin/intake serve --data /var/lib/intake"))
    throw new Error("the unit starts something else");
  await firstTicket(root, "intake:intake", "/var/lib/intake", env);
  say(`deb: from dpkg --install to the first ticket ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const mode = statSync(join(root, "var/lib/intake")).mode & 0o777;
  if (mode !== 0o700) throw new Error(`the data directory has the mode ${mode.toString(8)}`);
  const tickets = () =>
    run(inRoot(root, "intake:intake", ["/usr/bin/intake", "ticket", "list", "--data", "/var/lib/intake"]), { env });
  await run(["dpkg", `--root=${root}`, "--install", deb]);
  if (!(await tickets()).includes("The first")) throw new Error("the ticket is gone after an upgrade");
  await run(["dpkg", `--root=${root}`, "--remove", "intake"]);
  await run(["dpkg", `--root=${root}`, "--purge", "intake"]);
  if (!readdirSync(join(root, "var/lib/intake")).includes("intake.db")) throw new Error("a purge deleted data");
  if (existsSync(join(root, "usr/bin/intake"))) throw new Error("the binary is still there");
  say("deb: upgraded, removed and purged; the data is still there");
}
