import type { ActivityEntry } from "../../../../activity/activity.ts";
import { isAdmin } from "../../core/boot.ts";
import { Ago } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { words } from "./activity-words.tsx";
import { Comment } from "./comment.tsx";
import type { Name } from "./mentions.ts";
import type { CardCalls, CardDetail } from "./use-card.ts";
import { useOlder } from "./use-older.ts";

/** The activity of a card: what happened and who did it, newest first. */
export function Activity({
  card,
  data,
  members,
}: {
  card: CardCalls;
  data: CardDetail;
  members: readonly (Name & { role: string })[];
}) {
  const { items, more } = useOlder(data);
  return (
    <section class="section" aria-label="Activity">
      <h2>Activity</h2>
      <ol class="activity">
        {items.map((entry) => (
          <Entry key={entry.number} entry={entry} card={card} data={data} members={members} />
        ))}
      </ol>
      {more && (
        <button type="button" class="btn ghost" onClick={more}>
          Show older
        </button>
      )}
    </section>
  );
}

function Entry({ entry, ...of }: { entry: ActivityEntry } & Parameters<typeof Activity>[0]) {
  const { actor, kind, at } = entry;
  const tokenLog = actor.kind === "token" && kind === "created" && isAdmin.value && actor.id !== null;
  return (
    <li>
      <Who kind={actor.kind} name={actor.name} />
      <div class="shrinkable">
        <p>
          <b dir="auto">{actor.kind === "operator" ? "Command line" : actor.name}</b> {words(entry)}
          {tokenLog && (
            <>
              {" · "}
              <a href={`/settings/tokens/${actor.id}`}>request log</a>
            </>
          )}
        </p>
        {kind === "commented" && <Comment entry={entry} {...of} />}
      </div>
      <Ago at={at} />
    </li>
  );
}
