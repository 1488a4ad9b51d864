import type { Reader } from "../../core/store.ts";
import { type ChatMessage, chatMessageOf } from "./chat-message.ts";
import { discordBody } from "./discord.ts";
import type { Format } from "./formats.ts";
import { matrixBody } from "./matrix.ts";
import { slackBody } from "./slack.ts";
import { teamsBody } from "./teams.ts";

const chatBodies: Record<Exclude<Format, "intake">, (message: ChatMessage) => unknown> = {
  slack: slackBody,
  discord: discordBody,
  teams: teamsBody,
  matrix: matrixBody,
};

/**
 * The body of a message in the format of a subscriber, from the bytes in Intake's own. The project has the name that it
 * has now.
 */
export async function formatBody(store: Reader, format: Format, body: Uint8Array): Promise<Uint8Array> {
  if (format === "intake") return body;
  const message = JSON.parse(new TextDecoder().decode(body));
  const projectName = await nameOfProject(store, message.data.projectId);
  return Buffer.from(JSON.stringify(chatBodies[format](chatMessageOf(message, projectName))));
}

async function nameOfProject(store: Reader, id: unknown): Promise<string | undefined> {
  if (typeof id !== "string") return undefined;
  return (await store.one<{ name: string }>("select name from project where id = $1", [id]))?.name;
}
