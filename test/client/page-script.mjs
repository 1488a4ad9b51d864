import { breadcrumbs } from "@intake/client/breadcrumbs";
import { captureErrors } from "@intake/client/browser";
import { IngestClient } from "@intake/client/ingest";
import { ReportBoundary } from "@intake/client/react";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

// JavaScript, because the types of React would change those of the DOM for every file that is compiled with this one.

const trail = breadcrumbs({ max: 5, console: true, fetch: true });
let reports;

/** What the page offers to the test that drives it. */
const driven = {
  begin(ingestUrl, key, ignored) {
    reports = new IngestClient({ ingestUrl, key, breadcrumbs: trail });
    driven.stop = captureErrors(reports, {
      ignore(error) {
        if (ignored === "throws") throw new Error("the app's own fault");
        return ignored !== undefined && String(error).includes(ignored);
      },
    });
  },
  stop() {},
  flush: () => reports.flush(10_000),
  throwLater(message) {
    setTimeout(() => {
      throw new TypeError(message, { cause: new Error("why") });
    });
  },
  reject: (reason) => void Promise.reject(reason),
  /** An error of another realm. */
  rejectFromFrame() {
    const frame = document.body.appendChild(document.createElement("iframe"));
    void Promise.reject(new frame.contentWindow.RangeError("from a frame"));
  },
  loadFailing(src) {
    document.head.append(Object.assign(document.createElement("script"), { src }));
  },
  render(message) {
    const Broken = () => {
      if (driven.broken) throw new Error(message);
      return "mended";
    };
    const root = document.body.appendChild(Object.assign(document.createElement("div"), { id: "react" }));
    const fallback = (error, reset) => createElement("button", { type: "button", onClick: () => reset() }, `${error}`);
    const onCaptured = (_, reportId) => {
      driven.captured = reportId;
    };
    createRoot(root).render(
      createElement(ReportBoundary, { client: reports, fallback, onCaptured }, createElement(Broken)),
    );
  },
  broken: true,
  captured: "",
};
Object.assign(globalThis, { driven });
