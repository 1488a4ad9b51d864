/** The words that run a command in another root as a user of it, with /proc, which the binary reads itself from. */
export function inRoot(root: string, user: string, command: readonly string[]): string[] {
  const script =
    '/bin/mount -t proc proc "$1/proc" && root=$1 user=$2 && shift 2 && exec /usr/sbin/chroot --userspec="$user" "$root" "$@"';
  return ["unshare", "--mount", "sh", "-c", script, "sh", root, user, ...command];
}

/** Starts a server in a root, makes the organisation and the first ticket, asks for its health and stops it. */
export async function firstTicket(
  root: string,
  user: string,
  data: string,
  env: Record<string, string>,
): Promise<void> {
  const run = async (...args: string[]) => {
    const child = Bun.spawn(inRoot(root, user, ["/usr/bin/intake", ...args, "--data", data, "--json"]), {
      env,
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (code !== 0) throw new Error(`intake ${args[0]} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const { apiToken } = await run("init", "--org", "Example", "--admin-email", "ada@example.org");
  const serve = ["/usr/bin/intake", "serve", "--data", data, "--host", "127.0.0.1", "--port", "0", "--metrics", "off"];
  const server = Bun.spawn(inRoot(root, user, serve), { env, stderr: "inherit" });
  try {
    let line = "";
    for await (const piece of server.stdout.pipeThrough(new TextDecoderStream())) {
      line += piece;
      if (line.includes("\n")) break;
    }
    const url = /listening on (\S+)/.exec(line)?.[1];
    const answer = await fetch(`${url}/api/v1/tickets`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiToken.token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ title: "The first" }),
    });
    if (answer.status !== 201) throw new Error(`the first ticket was answered with ${answer.status}`);
    const health = await run("healthcheck");
    if (health.status !== "ready") throw new Error(`healthcheck says ${JSON.stringify(health)}`);
  } finally {
    server.kill("SIGTERM");
    await server.exited;
  }
  if (server.exitCode !== 0) throw new Error(`serve ended with ${server.exitCode}`);
}
