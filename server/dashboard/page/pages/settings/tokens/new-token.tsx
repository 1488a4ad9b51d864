import { CreateToken } from "./create.tsx";

/** Opens the form for a new token on any page. Only the page that lists tokens can warn of an equal name. */
export default function NewToken({ onClose }: { onClose: () => void }) {
  return <CreateToken tokens={[]} onClose={onClose} />;
}
