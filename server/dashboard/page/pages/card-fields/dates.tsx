import type { StoredTicket } from "../../../../activity/ticket-row.ts";
import { FieldForm } from "./field-form.tsx";

export const dateFields = ["startsAt", "dueAt"] as const;
type CardDates = Pick<StoredTicket, (typeof dateFields)[number]>;

/** The dialog for the start and due day of a card: calendar days without a time zone. */
export function Dates({ dates, onSave }: { dates: CardDates; onSave: (dates: CardDates) => void }) {
  return <FieldForm what="dates" names={dateFields} values={dates} onSave={onSave} />;
}
