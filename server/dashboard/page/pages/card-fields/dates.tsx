import type { StoredTicket } from "../../../../activity/ticket-row.ts";
import { FieldForm } from "./field-form.tsx";

export const dateFields = ["startsAt", "dueAt"] as const;
type CardDates = Pick<StoredTicket, (typeof dateFields)[number]>;

/** Calendar days, without a zone. */
export function Dates({ dates, onSave }: { dates: CardDates; onSave: (dates: CardDates) => void }) {
  return <FieldForm what="dates" names={dateFields} values={dates} onSave={onSave} />;
}
