/** `apiToken` in words: API token. */
export function credentialName(scheme: string): string {
  return scheme.replace(/([A-Z])/, " $1").replace(/^(\w+) (\w+)$/, (_, kind: string, thing: string) => {
    return `${kind.toUpperCase()} ${thing.toLowerCase()}`;
  });
}

/** The shell variable that a command reads the credential from, so that the command contains no value. */
export function variableOf(scheme: string): string {
  return `INTAKE_${scheme.replace(/^[a-z]+/, "").toUpperCase()}`;
}
