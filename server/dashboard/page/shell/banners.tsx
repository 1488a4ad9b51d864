import { boot, isAdmin } from "../core/boot.ts";
import { live } from "../core/live.ts";
import { Icon } from "../parts/icon.tsx";
import { rail } from "./rail-data.ts";

/**
 * Banners above every page: storage refuses writes, the connection is lost, a notice says that something is
 * refused or lost, somebody has signed in from somewhere new, the page has no TLS.
 */
export function Banners() {
  const { state, since } = live.value;
  const trouble = rail.value?.storage.trouble;
  const notices = rail.value?.notices;
  const newDevices = rail.value?.newDevices;
  return (
    <>
      {trouble !== undefined && (
        <div class="alarm err" role="alert">
          <Icon name="alert" />
          <span>
            Storage cannot commit ({trouble}). Reports and tickets are refused with 503; nothing that was accepted is
            lost. <a href="/settings/organisation">See what is kept</a>
          </span>
        </div>
      )}
      {state === "offline" && (
        <div class="alarm" role="status">
          <Icon name="alert" />
          <span>
            Offline since {new Date(since).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}. You see
            what was last loaded; moves wait, other changes are off.
          </span>
        </div>
      )}
      {trouble === undefined && notices?.worst?.level === "error" && (
        <div class="alarm err" role="alert">
          <Icon name="alert" />
          <span>
            {notices.worst.title}. <span dir="auto">{notices.worst.text}</span>
          </span>
          <a class="btn right" href="/notices">
            {notices.open === 1 ? "See the notice" : `See ${notices.open} notices`}
          </a>
        </div>
      )}
      {newDevices?.latest && (
        <div class="alarm" role="status">
          <Icon name="alert" />
          <span>A new sign-in as you: {newDevices.latest.device}.</span>
          <a class="btn right" href="/settings/sessions">
            Was it you?
          </a>
        </div>
      )}
      {boot.value.member && isAdmin.value && isPlain() && (
        <div class="alarm" role="status">
          <Icon name="alert" />
          <span>This page is not encrypted. Put TLS in front.</span>
        </div>
      )}
    </>
  );
}

function isPlain(): boolean {
  return location.protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);
}
