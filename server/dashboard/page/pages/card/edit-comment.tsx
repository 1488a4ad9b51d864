import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { failureOf } from "../../core/load.ts";
import { MentionField } from "./mention-field.tsx";
import { mentionsIn, type Name } from "./mentions.ts";
import type { CardCalls } from "./use-card.ts";

/** The form in which an author edits a comment, in place of its text. */
export function EditComment({
  text: before,
  number,
  card,
  members,
  onEnd,
}: {
  text: string;
  number: number;
  card: CardCalls;
  members: readonly (Name & { role: string })[];
  onEnd: () => void;
}) {
  const [text, setText] = useState(before);
  const [wrong, setWrong] = useState<string>();
  const people = members.filter(({ role }) => role !== "agent");

  async function save() {
    if (text.trim() === "") return;
    try {
      const mentions = mentionsIn(text, people).map(({ id }) => id);
      await done(
        api
          .cards({ id: card.id })
          .comments({ number: String(number) })
          .patch({ text, mentions }),
      );
      card.loaded.reload();
      onEnd();
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }

  return (
    <div class="stacked">
      <MentionField
        name="edited"
        label="Edit comment"
        text={text}
        people={people}
        wrong={wrong}
        focused
        onText={setText}
        onSend={() => void save()}
        onEscape={onEnd}
      />
      <div class="row">
        <button type="button" class="btn primary" disabled={text.trim() === ""} onClick={() => void save()}>
          Save <span class="kbd hide-narrow">Ctrl ↵</span>
        </button>
        <button type="button" class="btn ghost" onClick={onEnd}>
          Cancel
        </button>
      </div>
    </div>
  );
}
