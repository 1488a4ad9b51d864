import { api, CallFailed, done } from "../../core/api.ts";
import type { CardCalls, CardDetail } from "./use-card.ts";

/** The text that is stored now, when two people changed the same text. */
export interface Theirs {
  title: string;
  description: string | null;
  version: number;
}

/**
 * Saves a text over the version that its editing began from. Returns undefined once the text is saved, otherwise the
 * text that somebody else saved meanwhile. A change to the other one of title and description is no conflict.
 */
export async function saveText(
  card: CardCalls,
  text: { title: string } | { description: string | null },
  base: Pick<CardDetail, "title" | "description" | "version">,
): Promise<Theirs | undefined> {
  try {
    card.show(await done(api.cards({ id: card.id }).patch({ ...text, version: base.version })));
    return undefined;
  } catch (error) {
    const theirs = error instanceof CallFailed && error.code === "conflict" ? theirsIn(error) : undefined;
    if (!theirs) throw error;
    const untouched = "title" in text ? theirs.title === base.title : theirs.description === base.description;
    return untouched ? saveText(card, text, theirs) : theirs;
  }
}

function theirsIn({ body }: CallFailed): Theirs | undefined {
  const theirs = body["theirs"] as Theirs | undefined;
  return theirs && typeof theirs.version === "number" ? theirs : undefined;
}
