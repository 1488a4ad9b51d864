interface Options {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** Runs a program without a shell, so that no name is ever read as a command; returns what it printed. */
export async function run(command: readonly string[], { cwd, env }: Options = {}): Promise<string> {
  const child = Bun.spawn([...command], {
    ...(cwd === undefined ? {} : { cwd }),
    env: env ?? process.env,
    stdin: "ignore",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(" ")} ended with ${code}: ${stderr.trim().slice(-2000)}`);
  return stdout;
}
