import { archiveName, isWindows, type Target, targets } from "./targets.ts";

/** The formula for Homebrew: an archive for each platform that Homebrew runs on, with its digest. */
export function formula(version: string, url: string, digests: ReadonlyMap<string, string>): string {
  const of = (system: string) =>
    targets
      .filter((target) => !isWindows(target) && target.name.startsWith(system))
      .map((target) => source(version, url, target, digests))
      .join("\n");
  return `class Intake < Formula
  desc "Takes in tickets from CI jobs and reports from apps, each exactly once"
  homepage "${url}"
  version "${version}"
  license "MIT"

  on_macos do
${of("darwin")}
  end

  on_linux do
${of("linux")}
  end

  def install
    bin.install "intake"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/intake.bash" => "intake"
    zsh_completion.install "completions/_intake"
    fish_completion.install "completions/intake.fish"
    doc.install "LICENSE", "THIRD-PARTY-LICENSES.txt"
  end

  service do
    run [opt_bin/"intake", "serve", "--data", var/"intake"]
    keep_alive crashed: true
    log_path var/"log/intake.log"
    error_log_path var/"log/intake.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/intake --version")
  end
end
`;
}

function source(version: string, url: string, target: Target, digests: ReadonlyMap<string, string>): string {
  const file = archiveName(version, target);
  const digest = digests.get(file);
  if (digest === undefined) throw new Error(`there is no ${file}`);
  return `    on_${target.name.endsWith("arm64") ? "arm" : "intel"} do
      url "${url}/${file}"
      sha256 "${digest}"
    end`;
}
