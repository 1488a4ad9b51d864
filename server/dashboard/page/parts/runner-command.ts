/** What a machine runs to execute agent runs. The command starts in the clone, so its path has to be a whole one. */
export function runnerCommand(publicUrl: string): string {
  return `intake runner --url ${publicUrl} --token-file token --exec "$PWD/agent.sh"`;
}
