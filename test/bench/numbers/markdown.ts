/** A report with its tables as Markdown has them; everything else stays as it is. */
export function toMarkdown(report: string): string {
  return report
    .split("\n\n")
    .map((paragraph) => {
      const lines = paragraph.split("\n");
      const rule = lines.findIndex((line) => /^-+( {2}-+)*$/.test(line));
      if (rule < 1) return paragraph;
      const [title, text] = [lines.slice(0, rule - 1), lines.slice(rule - 1)];
      return [...(title.length > 0 ? [title.join("\n")] : []), tableOf(text)].join("\n\n");
    })
    .join("\n\n");
}

/** The second line, of dashes, says where each column stands. Cells are padded as the formatter wants them. */
function tableOf([head = "", rule = "", ...body]: string[]): string {
  const columns = [...rule.matchAll(/-+/g)].map(({ index, 0: dashes }) => [index, index + dashes.length] as const);
  const rows = [head, ...body].map((line) =>
    columns.map(([from, to], i) => {
      const cell = line.slice(from, i === columns.length - 1 ? undefined : to);
      return cell.trim().replaceAll("|", "\\|").replaceAll("<", "&lt;");
    }),
  );
  const widths = columns.map((_, i) => Math.max(3, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  const [first = [], ...others] = rows;
  return [first, widths.map((width) => "-".repeat(width)), ...others].map(line).join("\n");
}
