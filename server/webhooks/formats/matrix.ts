import type { ChatMessage } from "./chat-message.ts";
import { unlinked } from "./chat-text.ts";

/**
 * The body for a generic webhook of matrix-hookshot, which writes it into a room of Matrix
 * (https://matrix-org.github.io/matrix-hookshot/latest/setup/webhooks.html): `html` is what clients show, `text` what
 * those without HTML do. Not the client-server API itself: it wants a PUT whose path names each message, and the access
 * token of a whole account, where the address of a webhook can do no more than write into one room.
 */
export function matrixBody({ title, tone, facts, link }: ChatMessage): unknown {
  const lines = facts.map(({ label, value }) => [unlinked(label), unlinked(value)] as const);
  const mark = { bad: "🔴 ", warning: "🟠 ", good: "🟢 ", plain: "" }[tone];
  return {
    text: [
      mark + unlinked(title),
      ...lines.map(([label, value]) => `${label}: ${value}`),
      ...(link === null ? [] : [link.url]),
    ].join("\n"),
    // Clients make no links of names of hosts and rooms within `code`.
    html: [
      `${mark}<strong><code>${escaped(unlinked(title))}</code></strong>`,
      ...lines.map(([label, value]) => `${escaped(label)}: <code>${escaped(value)}</code>`),
      ...(link === null ? [] : [`<a href="${escaped(link.url)}">${link.label}</a>`]),
    ].join("<br>"),
  };
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
