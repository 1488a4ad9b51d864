import { CopyBlock, CopyButton } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { curlFor } from "./curl.ts";
import type { Columns } from "./order.ts";
import type { BoardHead } from "./store.ts";

export interface IdsDialogProps {
  boardId: string;
  head: BoardHead;
  columns: Columns;
  onClose: () => void;
}

/**
 * Shows the ids of the project, the board and its columns, which requests of the API need, with a request that is ready
 * to be sent.
 */
export default function IdsDialog({ boardId, head, columns, onClose }: IdsDialogProps) {
  const rows = [
    { what: "Project", name: head.project.name, id: head.project.id },
    { what: "Board", name: head.name, id: boardId },
    ...columns.map(({ id, name }) => ({ what: "Column", name, id })),
  ];
  return (
    <Dialog
      title="Ids for the API"
      intro="A ticket without boardId and columnId goes to the project's first board, into its first column."
      onClose={onClose}
      footer={
        <button type="button" class="btn right" data-focus onClick={onClose}>
          Close
        </button>
      }
    >
      <table class="ids">
        <tbody>
          {rows.map(({ what, name, id }) => (
            <tr key={id}>
              <th scope="row">{what}</th>
              <td class="ellipsis" dir="auto" title={name}>
                {name}
              </td>
              <td class="mono">{id}</td>
              <td>
                <CopyButton text={id} label="Copy" class="btn ghost" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <CopyBlock text={curlFor(head.project.id, boardId, columns[0]?.id ?? "")} label="Copy command" />
    </Dialog>
  );
}
