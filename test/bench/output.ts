/** What a program writes to stdout, without blanks around it; undefined when it is missing or fails. */
export async function output(command: [string, ...string[]], cwd?: string): Promise<string | undefined> {
  if (!Bun.which(command[0])) return undefined;
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "ignore", ...(cwd === undefined ? {} : { cwd }) });
  const said = await child.stdout.text();
  return (await child.exited) === 0 ? said.trim() : undefined;
}
