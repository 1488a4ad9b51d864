import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { failureOf } from "../../core/load.ts";
import { newOp } from "../../core/op.ts";
import { Who } from "../../parts/who.tsx";
import { draftOf, keepDraft } from "./draft.ts";
import { mentionAt, mentionsIn, type Name } from "./mentions.ts";
import type { CardCalls, CardDetail } from "./use-card.ts";

/** A comment; members that it names are offered as one types. Tokens are no members. */
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
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const op = useRef(newOp());
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => setText(draftOf(name) ?? ""), [name]);

  // Once the text stands in the field: setting it moves the caret to its end.
  const wanted = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    area.current?.focus();
    area.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  }, [text]);

  const people = members.filter(({ role }) => role !== "agent");
  const mention = closed ? undefined : mentionAt(text, caret, people);
  const index = mention ? Math.min(at, mention.found.length - 1) : 0;

  function type(next: string) {
    setText(next);
    setClosed(false);
    setAt(0);
    keepDraft(name, next === "" ? undefined : next);
  }

  function insert(person: Name) {
    if (!mention) return;
    const next = `${text.slice(0, mention.from)}@${person.name} ${text.slice(caret)}`;
    type(next);
    const place = mention.from + person.name.length + 2;
    wanted.current = place;
    setCaret(place);
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

  function key(event: KeyboardEvent) {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      return void send();
    }
    if (event.key === "Escape") {
      // First the list, then the field; the card stays.
      event.preventDefault();
      if (mention) setClosed(true);
      else area.current?.closest<HTMLElement>(".panel")?.focus();
      return;
    }
    const person = mention?.found[index];
    if (!mention || !person) return;
    if (event.key === "Enter" || event.key === "Tab") {
      event.preventDefault();
      insert(person);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setAt((index + step + mention.found.length) % mention.found.length);
  }

  const me = boot.value.member;
  const list = mention ? "mention-list" : undefined;
  return (
    <div class="compose">
      <Who kind="member" name={me?.name ?? ""} />
      <div class="grow menu-anchor">
        {mention && (
          <div class="menu up" role="listbox" id="mention-list" aria-label="Members">
            {mention.found.map((person, i) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names this one as active
              <div
                key={person.id}
                id={`mention-${i}`}
                role="option"
                aria-selected={i === index}
                data-at={i === index || undefined}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => insert(person)}
              >
                <Who kind="member" name={person.name} />
                <span class="clip" dir="auto">
                  {person.name}
                </span>
              </div>
            ))}
          </div>
        )}
        <textarea
          ref={area}
          class="field"
          dir="auto"
          rows={Math.min(8, text.split("\n").length)}
          placeholder="Comment, @ to mention a member"
          aria-label="Comment"
          aria-controls={list}
          aria-activedescendant={mention ? `mention-${index}` : undefined}
          aria-invalid={wrong !== undefined}
          value={text}
          onInput={(event) => {
            type(event.currentTarget.value);
            setCaret(event.currentTarget.selectionStart);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={key}
        />
        {wrong !== undefined && (
          <p class="t-err small" role="alert">
            {wrong}
          </p>
        )}
      </div>
      {text.trim() !== "" && (
        <button type="button" class="btn primary" onClick={() => void send()}>
          Comment <span class="k">Ctrl ↵</span>
        </button>
      )}
    </div>
  );
}
