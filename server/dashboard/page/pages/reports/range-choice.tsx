import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { MomentField } from "../../parts/moment-field.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { inputMoment, type Range, rangeWords, type Span, spanLabel, spans } from "./range.ts";

interface Props {
  range: Range;
  onRange: (range: Range) => void;
}

/** Chooses the range of times: a span that ends now, or two moments. */
export function RangeChoice({ range, onRange }: Props) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <div class="hide-narrow">
        <Tabs<Span | "custom">
          label="Time range"
          look="segmented"
          tabs={[...spans.map((span) => ({ name: span, label: spanLabel(span) })), { name: "custom", label: "Custom" }]}
          chosen={"span" in range ? range.span : "custom"}
          onChoose={(name) => (name === "custom" ? setAsking(true) : onRange({ span: name }))}
        />
      </div>
      {asking && <CustomRange range={range} onRange={onRange} onClose={() => setAsking(false)} />}
    </>
  );
}

/** The choice of the range on a phone, in the head of the page. */
export function RangeMenu({ range, onRange }: Props) {
  const [asking, setAsking] = useState(false);
  return (
    <span class="only-narrow">
      <Menu
        label={`Time range: ${rangeWords(range)}`}
        items={[
          ...spans.map((span) => ({ label: rangeWords({ span }), run: () => onRange({ span }) })),
          { label: "Custom…", run: () => setAsking(true) },
        ]}
      >
        <Icon name="clock" />
        <span class="sr-only">Time range: {rangeWords(range)}</span>
      </Menu>
      {asking && <CustomRange range={range} onRange={onRange} onClose={() => setAsking(false)} />}
    </span>
  );
}

function CustomRange({ range, onRange, onClose }: Props & { onClose: () => void }) {
  const day = 86_400_000;
  const [since, setSince] = useState(inputMoment("span" in range ? Date.now() - day : range.since));
  const [until, setUntil] = useState(inputMoment("span" in range ? Date.now() : range.until));
  const wrong = since === "" || until === "" || since < until ? undefined : "This is not after the beginning.";

  function show() {
    if (wrong !== undefined || since === "" || until === "") return;
    onRange({ since: new Date(since).toISOString(), until: new Date(until).toISOString() });
    onClose();
  }

  return (
    <Dialog
      title="Reports received between"
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="custom-range" class="btn primary" disabled={wrong !== undefined}>
            Show
          </button>
        </>
      }
    >
      <form
        id="custom-range"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          show();
        }}
      >
        <MomentField label="From" hint="In your own time zone." value={since} onValue={setSince} />
        <MomentField label="To" wrong={wrong} value={until} onValue={setUntil} />
      </form>
    </Dialog>
  );
}
