import type { Draft, Part } from "./draft.ts";

/** The command that sends the same, for a POSIX shell. The credential is a variable, never a value. */
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
  return [...parts.flatMap(written), command].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** In quotes of curl's own: a file name may hold what separates options. */
function formPart({ name, file }: Part): string {
  const path = file.name.replace(/["\\]/g, "\\$&");
  return `${name}=@"${path}"${file.type === "" ? "" : `;type=${file.type}`}`;
}

function written({ file, text, gzip = false }: Part): string[] {
  if (text === undefined) return [];
  const path = gzip ? file.name.replace(/\.gz$/, "") : file.name;
  let end = "EOF";
  while (text.includes(end)) end += "F";
  return [`cat > ${quoted(path)} <<'${end}'`, text, end, ...(gzip ? [`gzip -f ${quoted(path)}`] : [])];
}
