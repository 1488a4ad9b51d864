import type { NoticeRuleName } from "../core/notice-settings.ts";
import type { Rule } from "./rule.ts";
import { backupOld } from "./rules/backup-old.ts";
import { creditsOut } from "./rules/credits-out.ts";
import { deliveriesDead } from "./rules/deliveries-dead.ts";
import { diskLow } from "./rules/disk-low.ts";
import { fatalNew } from "./rules/fatal-new.ts";
import { storageRefuses } from "./rules/storage-refuses.ts";
import { subscriberDisabled } from "./rules/subscriber-disabled.ts";
import { tokenRefused } from "./rules/token-refused.ts";

/** Every rule, in the order of lists. A new one is a file, a name in `core/notice-settings.ts` and a line here. */
const byName = {
  storage_refuses: storageRefuses,
  disk_low: diskLow,
  backup_old: backupOld,
  subscriber_disabled: subscriberDisabled,
  deliveries_dead: deliveriesDead,
  token_refused: tokenRefused,
  credits_out: creditsOut,
  fatal_new: fatalNew,
} as const satisfies Record<NoticeRuleName, Rule>;

export const rules: readonly Rule[] = Object.values(byName);

/** The rule of a stored notice; undefined when a newer version stored it. */
export function ruleOf(name: string): Rule | undefined {
  return rules.find((rule) => rule.name === name);
}
