import { useEffect, useRef, useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { draftOf, keepDraft } from "../../core/draft.ts";
import { failureOf } from "../../core/load.ts";
import { newOp } from "../../core/op.ts";
import { Who } from "../../parts/who.tsx";
import { MentionField } from "./mention-field.tsx";
import { mentionsIn, type Name } from "./mentions.ts";
import type { CardCalls, CardDetail } from "./use-card.ts";

/** The form for a new comment. It offers members to mention; tokens cannot be mentioned. */
export function Compose({
  card,
  data,
  members,
}: {
  card: CardCalls;
  data: CardDetail;
  members: readonly (Name & { role: string })[];
}) {
  const name = `comment ${data.id}`;
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState<string>();
  const op = useRef(newOp());
  useEffect(() => setText(draftOf(name) ?? ""), [name]);
  const people = members.filter(({ role }) => role !== "agent");

  function type(next: string) {
    setText(next);
    keepDraft(name, next === "" ? undefined : next);
  }

  async function send() {
    if (text.trim() === "") return;
    try {
      const mentions = mentionsIn(text, people).map(({ id }) => id);
      await done(api.cards({ id: data.id }).comments.post({ op: op.current, text, mentions }));
      op.current = newOp();
      type("");
      setWrong(undefined);
      card.loaded.reload();
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }

  const me = boot.value.member;
  return (
    <div class="compose">
      <Who kind="member" name={me?.name ?? ""} />
      <MentionField
        name="comment"
        label="Comment"
        placeholder="Comment, @ to mention a member"
        text={text}
        people={people}
        wrong={wrong}
        onText={type}
        onSend={() => void send()}
        onEscape={(field) => field?.closest<HTMLElement>(".panel")?.focus()}
      />
      {text.trim() !== "" && (
        <button type="button" class="btn primary" onClick={() => void send()}>
          Comment <span class="kbd">Ctrl ↵</span>
        </button>
      )}
    </div>
  );
}
