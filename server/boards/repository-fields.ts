import { limits } from "../../openapi/schema/limits.ts";
import type { Fields } from "../core/fields.ts";

/** What people give a repository. Every use of these fields derives from this table. */
export const repositoryFields = {
  projectId: {
    kind: "id",
    column: "project_id",
    required: true,
    fixed: true,
    label: "Project",
    flag: { name: "project", placeholder: "P", about: "the project" },
  },
  url: {
    kind: "text",
    column: "url",
    max: limits.urlMax,
    required: true,
    fixed: true,
    code: "address",
    label: "Address",
    help: "https://host/path, ssh://user@host/path or user@host:path, without a password: the machine that executes runs has its own credentials.",
    placeholder: "https://git.example.org/shop.git",
    flag: {
      name: "url",
      placeholder: "U",
      about: "https://host/path, ssh://user@host/path or user@host:path",
    },
  },
  /** Null: the repository's own default branch. */
  baseBranch: {
    kind: "text",
    column: "base_branch",
    max: limits.runBranchMax,
    code: "name",
    label: "Base branch",
    help: "Where runs begin. Empty means the repository's own default branch.",
    placeholder: "main",
    flag: {
      name: "base-branch",
      placeholder: "B",
      about: "branch that runs begin from; the repository's own default branch when absent",
      instead: {
        name: "default-branch",
        about: "begin from the repository's own default branch",
        changeOnly: true,
      },
    },
  },
} as const satisfies Fields;

export type RepositoryFields = typeof repositoryFields;

/** What `intake repository list` shows of each repository, in this order. */
export const repositoryColumns = ["id", "projectId", "url", "baseBranch"] as const;
