import { fieldEntries, kindOf, type TicketField } from "./schema/ticket-fields.ts";

/**
 * The GitHub action with an input for each field of a ticket. Lines between `# generated: NAME` and `# end` are written
 * anew, indented as these comments are; the others stay.
 */
export function actionWithInputs(action: string): string {
  const fields = fieldEntries.map(([, field]) => field);
  const blocks: Record<string, string[]> = {
    inputs: fields.flatMap(inputLines),
    env: fields.map(({ flag }) => `intake_${flag}: \${{ inputs.${flag} }}`),
    flags: [`flags=(${fields.map(({ flag }) => flag).join(" ")} wait)`],
  };
  return Object.entries(blocks).reduce((text, [name, lines]) => withBlock(text, name, lines), action);
}

function inputLines(field: TicketField): string[] {
  const { flag, required } = field;
  return [`${flag}:`, `  description: ${inputHelp(field)}.`, ...(required ? ["  required: true"] : [])];
}

/** The help of the flag, and the form of the value, which a workflow shows nowhere else. */
function inputHelp({ help, schema }: TicketField): string {
  const sentence = help.charAt(0).toUpperCase() + help.slice(1);
  switch (kindOf(schema)) {
    case "uuid":
      return `The id of ${help}`;
    case "date":
      return `${sentence}, as YYYY-MM-DD`;
    case "choice":
      return `One of ${schema.enum?.join(", ")}; ${help}`;
    default:
      return sentence;
  }
}

function withBlock(text: string, name: string, lines: readonly string[]): string {
  const [whole, indent, end] = new RegExp(`^( *)# generated: ${name}\n[^]*?^( *# end)$`, "m").exec(text) ?? [];
  if (whole === undefined) throw new Error(`the action has no block # generated: ${name}`);
  const block = [`${indent}# generated: ${name}`, ...lines.map((line) => `${indent}${line}`), end].join("\n");
  return text.replace(whole, () => block);
}
