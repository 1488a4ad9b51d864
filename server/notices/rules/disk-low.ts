import type { Rule } from "../rule.ts";

/** Percent by which free space must have grown above the threshold before the notice is cleared. */
const clearedAbove = 1;

export const diskLow: Rule = {
  name: "disk_low",
  title: "The disk is nearly full",
  level: "error",
  about:
    "Less than a tenth of the disk with the data directory is free. Below 5 % or 512 MiB reports are refused with 503, and in the end tickets too.",
  remedy: "Make room on the disk, or keep less: retention_days and retention_bytes in the settings.",
  threshold: "notice_disk_percent",
  everyProcess: true,
  look({ space, settings, here: { machine }, open }) {
    const { bytes, size } = space();
    if (size === 0) return [];
    const percent = (100 * bytes) / size;
    if (percent >= settings.notice_disk_percent + (open(machine) ? clearedAbove : 0)) return [];
    const where = machine === "" ? "the disk" : `the disk of ${machine}`;
    return [
      {
        subject: machine,
        projectId: null,
        name: machine || null,
        text: `${Math.floor(percent)} % of ${where} is free.`,
        path: "/settings/organisation",
      },
    ];
  },
};
