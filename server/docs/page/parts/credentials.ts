/** `apiToken` as people say it: API token. */
export function credentialName(scheme: string): string {
  return scheme.replace(/([A-Z])/, " $1").replace(/^(\w+) (\w+)$/, (_, kind: string, thing: string) => {
    return `${kind.toUpperCase()} ${thing.toLowerCase()}`;
  });
}

/** The variable of a shell that a command reads the credential from, so that no value stands in it. */
export function variableOf(scheme: string): string {
  return `INTAKE_${scheme.replace(/^[a-z]+/, "").toUpperCase()}`;
}
