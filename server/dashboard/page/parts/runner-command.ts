/** The shell command that starts a runner. The path of the agent is absolute, because it is started inside of the clone. */
export function runnerCommand(publicUrl: string): string {
  return `intake runner --url ${publicUrl} --token-file token --exec "$PWD/agent.sh"`;
}
