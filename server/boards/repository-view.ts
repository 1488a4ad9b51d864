import { requireBranchName, requireRepositoryUrl } from "../agents/repository-url.ts";
import type { FieldRules } from "../core/check-fields.ts";
import { type FieldRow, type ShownFields, shownFields } from "../core/fields.ts";
import { isoTime } from "../core/iso-time.ts";
import type { Row } from "../core/store.ts";
import { type RepositoryFields, repositoryFields } from "./repository-fields.ts";

/** A row of the table `repository`. Times are epoch milliseconds. */
export type RepositoryRow = Row & FieldRow<RepositoryFields> & { id: string; created_at: number };

/** A repository that agent runs of its project may work against. */
export interface RepositoryView extends ShownFields<RepositoryFields> {
  id: string;
  createdAt: string;
}

export function repositoryView(row: RepositoryRow): RepositoryView {
  return { id: row.id, ...shownFields(repositoryFields, row), createdAt: isoTime(row.created_at) };
}

export const repositoryRules: FieldRules<RepositoryFields> = {
  url: requireRepositoryUrl,
  baseBranch: requireBranchName,
};
