import type { Draft, Part } from "./draft.ts";

/**
 * The curl command that sends the same request, for a POSIX shell. The credential is a variable, never a value, and no
 * file is written.
 */
export function curl({ method, url, variable, headers, body }: Draft): string {
  const parts = body?.kind === "form" ? body.parts : [];
  const options = [
    ...(variable === undefined ? [] : [`-H "Authorization: Bearer $${variable}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body?.kind === "json" ? [`-H 'Content-Type: application/json'`, `--data-binary ${quoted(body.text)}`] : []),
    ...parts.map((part) => `-F ${quoted(formPart(part))}`),
  ];
  const get = method === "GET" || body ? "" : `-X ${method} `;
  const command = [`curl -i ${get}${quoted(url)}`, ...options].join(" \\\n  ");
  return parts.reduce(fed, command);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** In curl's own quotes, because a file name may contain the characters that separate options. */
function formPart({ name, file, text }: Part): string {
  const path = `"${file.name.replace(/["\\]/g, "\\$&")}"`;
  const from = text === undefined ? path : `-;filename=${path}`;
  return `${name}=@${from}${file.type === "" ? "" : `;type=${file.type}`}`;
}

/** The text of a part comes from the input of the command. */
function fed(command: string, { text, gzip }: Part): string {
  if (text === undefined) return command;
  let end = "EOF";
  while (text.includes(end)) end += "F";
  const input = gzip ? `gzip <<'${end}' | ${command}` : `${command} <<'${end}'`;
  return [input, text, end].join("\n");
}
