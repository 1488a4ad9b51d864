import type { MailContent } from "./content.ts";

/**
 * The HTML part of a mail: one column that fits a phone, in the colours of the reader's theme. Programs that show no
 * colours show the same text; the link stands there as text too.
 */
export function htmlOf(title: string, { text, link, foot }: MailContent): string {
  const paragraphs = text.split(/\n{2,}/).map((part) => `<p>${escaped(part).replaceAll("\n", "<br>")}</p>`);
  if (link !== undefined) {
    const url = escaped(link.url);
    paragraphs.push(
      `<p style="margin:28px 0"><a class="button" href="${url}" style="background:#1f5fd0;border-radius:6px;color:#ffffff;display:inline-block;padding:12px 20px;text-decoration:none">${escaped(link.label)}</a></p>`,
      `<p class="soft" style="color:#5b6472;font-size:13px">Or open this address:<br><a href="${url}" style="overflow-wrap:anywhere;word-break:break-all">${url}</a></p>`,
    );
  }
  if (foot !== undefined) paragraphs.push(`<p class="soft" style="color:#5b6472;font-size:13px">${escaped(foot)}</p>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(title)}</title>
<style>
:root { color-scheme: light dark }
@media (prefers-color-scheme: dark) {
  body, .sheet { background: #16191e !important; color: #e6e9ee !important }
  .soft { color: #a2abb8 !important }
  a:not(.button) { color: #8ab4ff !important }
}
</style>
</head>
<body style="background:#ffffff;color:#1b2230;margin:0">
<div class="sheet" dir="auto" style="box-sizing:border-box;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;margin:0 auto;max-width:560px;padding:24px">
${paragraphs.join("\n")}
</div>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
