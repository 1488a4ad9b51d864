import { api, done } from "../../core/api.ts";
import { useLoad } from "../../core/load.ts";

/**
 * Loads the names and ids of everything in a project that a field of a card can refer to: boards, columns, members,
 * repositories.
 */
export function useProject(id: string | undefined) {
  return useLoad(
    `project ${id}`,
    async () => {
      if (id === undefined) return undefined;
      const [project, { items: members }] = await Promise.all([
        done(api.projects({ id }).get()),
        done(api.members.names.get()),
      ]);
      return { ...project, members };
    },
    { kinds: ["project", "board", "member", "repository"] },
  );
}

export type ProjectDetail = NonNullable<ReturnType<typeof useProject>["data"]>;
