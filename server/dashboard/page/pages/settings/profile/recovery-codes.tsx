import { OneTimeSecret } from "../../../parts/one-time-secret.tsx";

/** Shows new recovery codes, once. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <OneTimeSecret
      title="Your recovery codes"
      intro="Each signs you in once when you have lost your passkey or app. Keep them where you keep your passwords, or print them. They are shown this once; former ones are void."
      secret={codes.join("\n")}
      what="codes"
      parts={[0, codes.join("\n").length]}
      onClose={onClose}
    />
  );
}
