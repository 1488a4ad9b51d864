import { CreateToken } from "./create.tsx";

/** From any page; that another token has the same name is told where the others are listed. */
export default function NewToken({ onClose }: { onClose: () => void }) {
  return <CreateToken tokens={[]} onClose={onClose} />;
}
