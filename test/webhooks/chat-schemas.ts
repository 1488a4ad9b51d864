import { type TProperties, Type } from "@sinclair/typebox";

/**
 * What the webhooks of chats take, as far as messages of Intake use it, with the limits that their vendors document.
 * Closed, so that a member of another name is a fault.
 */
const closed = <P extends TProperties>(members: P) => Type.Object(members, { additionalProperties: false });
const text = (max: number) => Type.String({ minLength: 1, maxLength: max });
const url = Type.String({ pattern: "^https?://" });

/** https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
const slackPlain = (max: number) =>
  closed({ type: Type.Literal("plain_text"), text: text(max), emoji: Type.Optional(Type.Boolean()) });
const slackMrkdwn = closed({
  type: Type.Literal("mrkdwn"),
  text: text(3_000),
  verbatim: Type.Optional(Type.Boolean()),
});

/**
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and the blocks below
 * https://docs.slack.dev/reference/block-kit/blocks
 */
const slack = closed({
  text: text(4_000),
  blocks: Type.Array(
    Type.Union([
      closed({ type: Type.Literal("header"), text: slackPlain(150) }),
      closed({
        type: Type.Literal("section"),
        fields: Type.Array(Type.Union([slackPlain(2_000), slackMrkdwn]), { minItems: 1, maxItems: 10 }),
      }),
      closed({ type: Type.Literal("section"), text: Type.Union([slackPlain(3_000), slackMrkdwn]) }),
    ]),
    { maxItems: 50 },
  ),
  unfurl_links: Type.Boolean(),
  unfurl_media: Type.Boolean(),
});

/**
 * https://discord.com/developers/docs/resources/webhook#execute-webhook and
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
const discord = closed({
  embeds: Type.Array(
    closed({
      title: text(256),
      url: Type.Optional(url),
      color: Type.Integer({ minimum: 0, maximum: 0xffffff }),
      fields: Type.Array(closed({ name: text(256), value: text(1_024), inline: Type.Boolean() }), { maxItems: 25 }),
    }),
    { minItems: 1, maxItems: 10 },
  ),
  allowed_mentions: closed({ parse: Type.Array(Type.String(), { maxItems: 0 }) }),
});

/** https://adaptivecards.io/explorer/RichTextBlock.html and https://adaptivecards.io/explorer/TextRun.html */
const textRun = closed({
  type: Type.Literal("TextRun"),
  text: Type.String({ minLength: 1 }),
  size: Type.Optional(
    Type.Union(["Small", "Default", "Medium", "Large", "ExtraLarge"].map((one) => Type.Literal(one))),
  ),
  weight: Type.Optional(Type.Union(["Lighter", "Default", "Bolder"].map((one) => Type.Literal(one)))),
  color: Type.Optional(
    Type.Union(["Default", "Dark", "Light", "Accent", "Good", "Warning", "Attention"].map((one) => Type.Literal(one))),
  ),
});

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
const teams = closed({
  type: Type.Literal("message"),
  attachments: Type.Array(
    closed({
      contentType: Type.Literal("application/vnd.microsoft.card.adaptive"),
      contentUrl: Type.Null(),
      content: closed({
        $schema: Type.Literal("http://adaptivecards.io/schemas/adaptive-card.json"),
        type: Type.Literal("AdaptiveCard"),
        version: Type.Literal("1.4"),
        body: Type.Array(
          closed({ type: Type.Literal("RichTextBlock"), inlines: Type.Array(textRun, { minItems: 1 }) }),
          { minItems: 1 },
        ),
        actions: Type.Optional(
          Type.Array(closed({ type: Type.Literal("Action.OpenUrl"), title: text(100), url }), { maxItems: 6 }),
        ),
      }),
    }),
    { minItems: 1, maxItems: 1 },
  ),
});

/** https://matrix-org.github.io/matrix-hookshot/latest/setup/webhooks.html: `text` must be there beside `html`. */
const matrix = closed({ text: Type.String({ minLength: 1 }), html: Type.String({ minLength: 1 }) });

/** Bytes that a message may have, where the vendor says so: https://learn.microsoft.com/microsoftteams/limits-specifications-teams */
export const bytesMax = { slack: 40_000, discord: 40_000, teams: 28_000, matrix: 65_536 } as const;

export const chatSchemas = { slack, discord, teams, matrix } as const;
export type Chat = keyof typeof chatSchemas;
export const chats = Object.keys(chatSchemas) as Chat[];
