import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ActivityEntry } from "../../../../activity/activity.ts";
import type { CommentDetail, DeletedCommentDetail } from "../../../../tickets/comment-text.ts";
import { api, done } from "../../core/api.ts";
import { boot, isAdmin } from "../../core/boot.ts";
import { say } from "../../core/say.ts";
import { bothClocks, now } from "../../core/time.ts";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { Ago } from "../../parts/time.tsx";
import { EditComment } from "./edit-comment.tsx";
import { Markdown } from "./markdown.tsx";
import type { Name } from "./mentions.ts";
import type { CardCalls, CardDetail } from "./use-card.ts";

/** A comment, or the note that it was deleted, with the actions that this person may take. */
export function Comment({
  entry,
  card,
  data,
  members,
}: {
  entry: ActivityEntry;
  card: CardCalls;
  data: CardDetail;
  members: readonly (Name & { role: string })[];
}) {
  const [editing, setEditing] = useState(false);
  const detail = entry.detail as CommentDetail | DeletedCommentDetail;
  const me = boot.value.member?.id;
  const isMine = entry.actor.kind === "member" && entry.actor.id === me;
  const call = api.cards({ id: data.id }).comments({ number: String(entry.number) });
  const box = useRef<HTMLDivElement>(null);

  // When a comment becomes a field or a note, its focused button disappears; the next control in the comment gets the
  // focus.
  const pressed = useRef(false);
  useLayoutEffect(() => {
    if (pressed.current && !editing) box.current?.querySelector("button")?.focus();
    pressed.current = false;
  }, [entry.detail, editing]);

  async function act(work: () => Promise<unknown>, message: string, back: () => Promise<unknown>) {
    pressed.current = box.current?.contains(document.activeElement) ?? false;
    if (await card.act(work)) say(message, { undo: () => void card.act(back) });
  }
  const remove = () => done(call.delete());
  const restore = () => done(call.restore.post({}));

  if ("deleted" in detail) {
    const { at, by, restorableUntil } = detail.deleted;
    const inTime = now.value < new Date(restorableUntil).getTime();
    const mayRestore = data.deletedAt === null && inTime && (by.id === me || isAdmin.value);
    return (
      <div class="comment gone" ref={box}>
        <span class="dim">
          <span dir="auto">{by.name}</span> deleted this comment <Ago at={at} words />.
        </span>
        {mayRestore && (
          <button type="button" class="btn" onClick={() => void act(restore, "Comment restored", remove)}>
            Restore
          </button>
        )}
      </div>
    );
  }
  if (editing) {
    const end = () => {
      pressed.current = true;
      setEditing(false);
    };
    return (
      <div class="comment" ref={box}>
        <EditComment text={detail.text} number={entry.number} card={card} members={members} onEnd={end} />
      </div>
    );
  }
  const items: MenuItem[] = [
    ...(isMine ? [{ label: "Edit", icon: "pencil", run: () => setEditing(true) } as const] : []),
    {
      label: "Delete",
      icon: "trash",
      danger: true,
      run: () => void act(remove, "Comment deleted", restore),
    },
  ];
  return (
    <div class="comment" ref={box}>
      <Markdown text={detail.text} names={detail.mentions.map(({ name }) => name)} below={2} />
      {detail.editedAt !== undefined && (
        <p class="dim small" title={bothClocks(detail.editedAt)}>
          edited <Ago at={detail.editedAt} words />
        </p>
      )}
      {data.deletedAt === null && (isMine || isAdmin.value) && (
        <span class="comment-actions">
          <Menu label="Acts on this comment" items={items} />
        </span>
      )}
    </div>
  );
}
