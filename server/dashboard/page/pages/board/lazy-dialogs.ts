import { lazyDialog } from "../../parts/lazy.tsx";
import type { BoardNameProps } from "./board-name.tsx";
import type { ColumnFormProps } from "./column-form.tsx";
import type { CreateCardProps } from "./create-card.tsx";
import type { DeleteColumnProps } from "./delete-column.tsx";
import type { IdsDialogProps } from "./ids-dialog.tsx";

export const BoardName = lazyDialog<BoardNameProps>(() => import("./board-name.tsx"));
export const ColumnForm = lazyDialog<ColumnFormProps>(() => import("./column-form.tsx"));
export const CreateCard = lazyDialog<CreateCardProps>(() => import("./create-card.tsx"));
export const DeleteColumn = lazyDialog<DeleteColumnProps>(() => import("./delete-column.tsx"));
export const IdsDialog = lazyDialog<IdsDialogProps>(() => import("./ids-dialog.tsx"));
