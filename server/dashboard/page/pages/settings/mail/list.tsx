import { plural } from "../../../core/format.ts";
import { Empty } from "../../../parts/states.tsx";
import { Table } from "../../../parts/table.tsx";
import { Ago } from "../../../parts/time.tsx";
import type { MailData } from "../mail.tsx";

const states = {
  waiting: ["", "Waiting"],
  sent: [" ok", "Accepted"],
  failed: [" err", "Given up"],
  expired: ["", "Too late"],
} as const;

/** The newest mails and what became of them, with the last failure in words. */
export function MailList({ mails }: { mails: MailData["mails"] }) {
  return (
    <section class="stacked" aria-label="Newest mails">
      <h2>Newest mails</h2>
      {mails.length === 0 ? (
        <Empty>No mail was caused in the last 30 days.</Empty>
      ) : (
        <Table columns={["Mail", "State", { name: "When", class: "align-right" }]}>
          {mails.map((mail) => (
            <Row key={mail.id} mail={mail} />
          ))}
        </Table>
      )}
    </section>
  );
}

function Row({ mail: { to, subject, state, attempts, problem, createdAt } }: { mail: MailData["mails"][number] }) {
  const [tone, word] = states[state];
  return (
    <tr>
      <td>
        <span class="two-lines">
          <span class="ellipsis" dir="auto" title={subject}>
            {subject}
          </span>
          <small class="ellipsis" title={to}>
            {to}
          </small>
        </span>
      </td>
      <td data-label="">
        <span class={`pill${tone}`}>{word}</span>{" "}
        {problem !== null && (
          <small class="dim" dir="auto">
            {attempts > 1 && `After ${plural(attempts, "attempt")}: `}
            {problem}.
          </small>
        )}
      </td>
      <td class="align-right digits nowrap" data-label="When">
        <Ago at={createdAt} />
      </td>
    </tr>
  );
}
