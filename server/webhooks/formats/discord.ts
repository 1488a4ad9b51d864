import type { ChatMessage } from "./chat-message.ts";
import { unlinked } from "./chat-text.ts";

/** Colours as Discord wants them: a number. */
const colors = { bad: 0xd92d20, warning: 0xdc8b00, good: 0x17803d, plain: 0x667085 } as const;

/**
 * The body for a webhook of Discord (https://discord.com/developers/docs/resources/webhook#execute-webhook). An embed has
 * a title of at most 256 characters, and values of at most 1,024
 * (https://discord.com/developers/docs/resources/message#embed-object-embed-limits). `allowed_mentions` with an empty
 * list keeps every mention from calling anybody, also one that was not recognised as such.
 */
export function discordBody({ title, tone, facts, link }: ChatMessage): unknown {
  return {
    embeds: [
      {
        title: escaped(title, 256),
        ...(link === null ? {} : { url: link.url }),
        color: colors[tone],
        fields: facts.map(({ label, value }) => ({
          name: escaped(label, 256),
          value: escaped(value, 1_024),
          inline: value.length <= 40,
        })),
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** Every character with a meaning in Discord's Markdown gets a backslash; no more than `max` UTF-16 units. */
function escaped(text: string, max: number): string {
  let result = "";
  for (const character of unlinked(text)) {
    const next = /[\\*_~`|<>[\]()#:-]/.test(character) ? `\\${character}` : character;
    if (result.length + next.length > max - 1) return `${result}…`;
    result += next;
  }
  return result;
}
