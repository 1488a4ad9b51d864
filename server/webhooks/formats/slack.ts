import type { ChatMessage } from "./chat-message.ts";
import { unlinked } from "./chat-text.ts";

/**
 * The body for an incoming webhook of Slack (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 * What strangers wrote stands in objects of type `plain_text`, in which Slack knows neither markup nor mentions
 * (https://docs.slack.dev/reference/block-kit/composition-objects/text-object). A header has at most 150 characters, a
 * section at most 10 fields.
 */
export function slackBody({ title, facts, link }: ChatMessage): unknown {
  const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
  return {
    // For notifications, and for readers of the screen: this one text has markup, so that it is escaped.
    text: escaped(unlinked(title)),
    blocks: [
      { type: "header", text: plain(title) },
      ...(facts.length === 0
        ? []
        : [{ type: "section", fields: facts.map(({ label, value }) => plain(`${label}: ${value}`)) }]),
      ...(link === null ? [] : [{ type: "section", text: { type: "mrkdwn", verbatim: true, text: linkText(link) } }]),
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

function linkText({ url, label }: { url: string; label: string }): string {
  return `<${escaped(url.replaceAll("|", "%7C"))}|${label}>`;
}

/** The three characters that have a meaning (https://docs.slack.dev/messaging/formatting-message-text). */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
