import { type Contestant, startIntake } from "../contestant.ts";
import { freshInstallation, type Installation } from "../intake.ts";
import { output } from "../output.ts";

const loopback = ["--webhook-allow", "127.0.0.0/8"];

/** An installation that may send to this machine. */
export async function webhooksInstallation(binary: string): Promise<Installation> {
  const installation = await freshInstallation(binary);
  return { ...installation, serve: (port) => [...installation.serve(port), ...loopback] };
}

export async function addSubscriber(binary: string, { data }: Installation, url: string): Promise<string> {
  const said = await output([
    binary,
    ...["subscriber", "add", "--all-projects", "--url", url, ...loopback, "--data", data, "--json"],
  ]);
  return (JSON.parse(said) as { id: string }).id;
}

export async function changeSubscriber(
  binary: string,
  { data }: Installation,
  change: "pause" | "resume",
  id: string,
): Promise<void> {
  await output([binary, "subscriber", change, id, "--data", data]);
}

export function startWebhooksServer(name: string, installation: Installation): Promise<Contestant> {
  return startIntake(name, installation, installation.sdkKey);
}
