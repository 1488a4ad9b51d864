import { endWithRun } from "./scratch.ts";

/** What a program writes to stdout, without blanks around it. Rejects when it is missing or fails, with its reason. */
export async function output(
  command: string[],
  cwd?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = endWithRun(
    Bun.spawn(command, {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      env: { ...process.env, ...env },
      ...(cwd === undefined ? {} : { cwd }),
    }),
  );
  const [said, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed: ${complaint.trim().slice(-500)}`);
  return said.trim();
}
