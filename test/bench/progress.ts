/** What happens now, on stderr: stdout has the report alone. */
export function progress(text: string) {
  process.stderr.write(`${text}\n`);
}
