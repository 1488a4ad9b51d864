import type { ChatMessage } from "./chat-message.ts";
import { unlinked } from "./chat-text.ts";

const colors = { bad: "Attention", warning: "Warning", good: "Good", plain: "Default" } as const;

/**
 * The body for a workflow of Teams with the trigger "When a Teams webhook request is received", which took the place of
 * the retired connectors: a message with one adaptive card
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using#example). Texts
 * are runs of a RichTextBlock, which knows no Markdown (https://adaptivecards.io/explorer/TextRun.html). A message has at
 * most 28 KB; this one has about a tenth of it.
 */
export function teamsBody({ title, tone, facts, link }: ChatMessage): unknown {
  const run = (text: string, look: object = {}) => ({ type: "TextRun", text, ...look });
  const line = (...inlines: object[]) => ({ type: "RichTextBlock", inlines });
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            line(run(unlinked(title), { size: "Medium", weight: "Bolder", color: colors[tone] })),
            ...facts.map(({ label, value }) =>
              line(run(`${unlinked(label)}: `, { weight: "Bolder" }), run(unlinked(value))),
            ),
          ],
          ...(link === null ? {} : { actions: [{ type: "Action.OpenUrl", title: link.label, url: link.url }] }),
        },
      },
    ],
  };
}
