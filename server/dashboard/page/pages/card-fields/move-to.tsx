import { useState } from "preact/hooks";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { ProjectDetail } from "../board/project.ts";

export interface Destination {
  columnId: string;
  after: null | "last";
}

export interface MoveToProps {
  title: string;
  project: Pick<ProjectDetail, "boards">;
  boardId: string;
  columnId: string;
  onMove: (to: Destination) => Promise<unknown>;
  onClose: () => void;
}

/** The dialog that moves a card without dragging, also to another board of the project. */
export default function MoveTo({ title, project, boardId, columnId, onMove, onClose }: MoveToProps) {
  const boards = project.boards.filter(({ archivedAt, columns }) => archivedAt === null && columns.length > 0);
  const [board, setBoard] = useState(boardId);
  const columns = boards.find(({ id }) => id === board)?.columns ?? [];
  const [column, setColumn] = useState(columnId);
  const [after, setAfter] = useState<Destination["after"]>(null);

  return (
    <FormDialog
      title={title}
      verb="Move"
      onSubmit={() => onMove({ columnId: column, after }).then(onClose)}
      onClose={onClose}
    >
      {boards.length > 1 && (
        <Field label="Board">
          {(tied) => (
            <select
              class="field"
              {...tied}
              value={board}
              onChange={(event) => {
                const next = boards.find(({ id }) => id === event.currentTarget.value);
                setBoard(next?.id ?? board);
                setColumn(next?.columns[0]?.id ?? column);
              }}
            >
              {boards.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label="Column">
        {(tied) => (
          <select
            class="field"
            {...tied}
            data-focus
            value={column}
            onChange={(event) => setColumn(event.currentTarget.value)}
          >
            {columns.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Place">
        {(tied) => (
          <select
            class="field"
            {...tied}
            value={after ?? "first"}
            onChange={(event) => setAfter(event.currentTarget.value === "last" ? "last" : null)}
          >
            <option value="first">At the top</option>
            <option value="last">At the bottom</option>
          </select>
        )}
      </Field>
    </FormDialog>
  );
}
