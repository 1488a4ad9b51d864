import { effect } from "@preact/signals";
import { options, render } from "preact";
import { App, loadShown } from "./app.tsx";
import { api, done } from "./core/api.ts";
import { watchAttendance } from "./core/attendance.ts";
import { boot } from "./core/boot.ts";
import { escapeDrawnText } from "./core/escape-text.ts";
import { startKeys } from "./core/keys.ts";
import { startLive } from "./core/live.ts";
import { failureOf } from "./core/load.ts";
import "./shell/common.ts";
import { loadRail } from "./shell/rail-data.ts";

// Effects run in the turn that renders and not after the next frame. So a key pressed as soon as something appears
// finds its shortcut and its focus, and no live change is lost between loading and listening.
options.requestAnimationFrame = queueMicrotask;
escapeDrawnText();
const root = document.createElement("div");
root.id = "root";
document.body.replaceChildren(root);
const shown = loadShown();
render(<App />, root);
startKeys();
watchAttendance();

// Live changes and counts begin when a person is signed in, at the start or by signing in here.
let started = false;
effect(() => {
  if (!boot.value.member || started) return;
  started = true;
  // A change that is told before the first page listens would be lost on it. The stream begins where the document ended.
  void shown.then(() =>
    startLive(async () => {
      if (boot.value.member) await done(api.me.get()).catch(failureOf);
      return boot.value.member !== undefined;
    }),
  );
  void loadRail();
});
