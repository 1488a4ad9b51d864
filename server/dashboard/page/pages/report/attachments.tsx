import { bytes } from "../../core/format.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Attachment, ReportDetail } from "../reports/types.ts";
import { LogText } from "./log-text.tsx";
import { ViewHierarchy } from "./view-hierarchy.tsx";
import { nameOf, stateWord, stateWords } from "./words.ts";

/** The attachments in the summary of a report. */
export function Gallery({ report: { attachments }, onAll }: { report: ReportDetail; onAll: () => void }) {
  return (
    <section class="section">
      <h3>Attachments</h3>
      <div class="gallery">
        {attachments.map((attachment) => {
          const name = nameOf(attachment);
          const wrong = stateWord(attachment);
          return (
            <button type="button" class="attachment" key={attachment.id} onClick={onAll} title={name}>
              <span class="thumbnail">
                {attachment.view === "image" && attachment.there ? (
                  <img src={addressOf(attachment)} alt="" loading="lazy" decoding="async" />
                ) : (
                  <Icon name={attachment.view === "video" ? "video" : "file"} />
                )}
              </span>
              <span class="caption">
                <b class="ellipsis" dir="auto">
                  {name}
                </b>
                {wrong !== undefined ? (
                  <span class="text-warn">{wrong}</span>
                ) : (
                  attachment.size !== null && bytes(attachment.size)
                )}
              </span>
            </button>
          );
        })}
      </div>
    </section>
  );
}

/** All attachments of a report: shown where that is safe, otherwise described. */
export function Attachments({ report: { attachments } }: { report: ReportDetail }) {
  if (attachments.length === 0) return <p class="dim">This report was sent without attachments.</p>;
  return (
    <>
      {attachments.map((attachment) => (
        <Shown key={attachment.id} attachment={attachment} />
      ))}
    </>
  );
}

function Shown({ attachment }: { attachment: Attachment }) {
  const { size, there, state, part, kind, contentType, sniffedType, sha256 } = attachment;
  const name = nameOf(attachment);
  const wrong = stateWords(attachment);
  return (
    <figure class="box file">
      <header>
        <Icon name={attachment.view === "video" ? "video" : "file"} />
        <b class="ellipsis grow" dir="auto" title={name}>
          {name}
        </b>
        {size !== null && <span class="dim nowrap">{bytes(size)}</span>}
        {there && (
          <a class="btn" href={`${addressOf(attachment)}?download`} download={name}>
            <Icon name="down" small />
            Download
          </a>
        )}
      </header>
      <div class="box-body stack">
        {wrong !== undefined && <p class={state === "unlisted" ? "dim" : "text-warn"}>{wrong}</p>}
        {there && <View attachment={attachment} name={name} />}
        <dl class="tags wide">
          <ChangeEvent name="part" value={part} />
          {kind !== "other" && <ChangeEvent name="kind" value={kind.replaceAll("_", " ")} />}
          <ChangeEvent name="declared type" value={contentType ?? "none"} />
          <ChangeEvent name="found type" value={sniffedType ?? "none that is known"} />
          {sha256 !== null && (
            <>
              <dt>SHA-256</dt>
              <dd class="row">
                <span class="ellipsis" title={sha256}>
                  {sha256}
                </span>
                <CopyButton text={sha256} label="Copy" class="btn ghost" />
              </dd>
            </>
          )}
        </dl>
      </div>
    </figure>
  );
}

function ChangeEvent({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto" title={value}>
        {value}
      </dd>
    </>
  );
}

function View({ attachment, name }: { attachment: Attachment; name: string }) {
  const address = addressOf(attachment);
  if (attachment.kind === "view_hierarchy" && attachment.view === "text") return <ViewHierarchy address={address} />;
  switch (attachment.view) {
    case "image":
      return (
        <a href={address} target="_blank" rel="noopener" title="Show it by itself">
          <img class="picture" src={address} alt={name} loading="lazy" decoding="async" />
        </a>
      );
    case "video":
      // biome-ignore lint/a11y/useMediaCaption: a recording of a screen, as an app sent it
      return <video class="picture" src={address} controls preload="none" aria-label={name} />;
    case "text":
      return <LogText attachment={attachment} />;
    case "none":
      return <p class="dim">This kind of file is not shown here. Download it to look at it.</p>;
  }
}

function addressOf({ id }: Attachment): string {
  return `/internal/attachments/${id}`;
}
