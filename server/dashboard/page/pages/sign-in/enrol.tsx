import { useEffect } from "preact/hooks";
import { boot } from "../../core/boot.ts";
import { go } from "../../core/router.ts";
import { Entry } from "../../parts/entry.tsx";
import { Factors } from "../settings/profile/factors.tsx";
import { SignOut } from "../settings/profile.tsx";

/** Shown in place of any page to an admin who has to set up a second factor before anything else. */
export default function Enrol() {
  const { mustEnrol } = boot.value;
  useEffect(() => {
    if (!mustEnrol) go("/settings/profile", { replace: true });
  }, [mustEnrol]);
  if (!mustEnrol) return null;
  return (
    <Entry
      title="Set up a second factor"
      intro="Admins need one here. Then you are where you wanted to go."
      foot={<SignOut />}
    >
      {/* The document is loaded again with all that it says to an admin. */}
      <Factors alone onEnrolled={() => location.reload()} />
    </Entry>
  );
}
