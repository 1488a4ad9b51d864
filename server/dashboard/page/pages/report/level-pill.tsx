import type { ReportRow } from "../reports/types.ts";

type Level = NonNullable<ReportRow["level"]>;

const tones: Record<Level, string> = { fatal: "err", error: "err", warning: "warn", info: "info", debug: "" };

export function LevelPill({ level }: { level: Level | null }) {
  return <span class={`pill ${level ? tones[level] : ""}`}>{level ?? "no level"}</span>;
}
