import { isAdmin } from "../../core/boot.ts";
import { bytes, whole } from "../../core/format.ts";
import { day } from "../../core/time.ts";
import { Figure } from "../../parts/chart/figure.tsx";
import type { Overview } from "../reports/types.ts";
import type { Part } from "./part.ts";

/** The stored bytes by kind, and the day on which the storage is full at the present rate. */
export function Storage({ data: { storage } }: Part) {
  const { reportsBytes, attachmentsBytes, limitBytes, events } = storage;
  const used = reportsBytes + attachmentsBytes;
  const share = (part: number) => `${Math.min(100, (part / limitBytes) * 100)}%`;
  return (
    <Figure
      title="Storage"
      facts={[
        { name: "Used", value: bytes(used), title: `${whole(used)} bytes` },
        { name: "Reports", tone: "accent", value: bytes(reportsBytes), title: `${whole(events)} reports` },
        { name: "Attachments", tone: "info", value: bytes(attachmentsBytes) },
        { name: "Limit", value: bytes(limitBytes) },
      ]}
      to={isAdmin.value ? { href: "/settings/organisation", label: "Show retention" } : undefined}
      chart={
        <div
          class="meter tall"
          role="img"
          aria-label={`${bytes(used)} of ${bytes(limitBytes)} are used: ${bytes(reportsBytes)} by reports, ${bytes(attachmentsBytes)} by attachments.`}
        >
          <i class="swatch accent" style={{ width: share(reportsBytes) }} />
          <i class="swatch info" style={{ width: share(attachmentsBytes) }} />
        </div>
      }
    >
      <p class="dim box-body">{paceWords(storage)}</p>
    </Figure>
  );
}

function paceWords({ perDayBytes, fullAt, by }: Overview["storage"]): string {
  if (perDayBytes === null) return "How fast it grows is known after a day.";
  if (perDayBytes <= 0 || fullAt === null) return "It does not grow at present.";
  const pace = `It grows by ${bytes(perDayBytes)} a day`;
  return by === "disk"
    ? `${pace}. At this pace the disk is full on ${day(fullAt)}: reports are refused then.`
    : `${pace}. At this pace the limit is reached on ${day(fullAt)}: the oldest reports go then.`;
}
