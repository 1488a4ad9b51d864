import { useMemo, useState } from "preact/hooks";
import { readStored } from "../../../core/bytes.ts";
import { bytes } from "../../../core/format.ts";
import { useLoad } from "../../../core/load.ts";
import { CopyButton } from "../../../parts/copy.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Shown } from "../../../parts/states.tsx";
import { Tabs } from "../../../parts/tabs.tsx";
import type { ReportDetail } from "../../reports/types.ts";
import { marksOf } from "./marks.ts";
import { Raw } from "./raw.tsx";
import { membersOf, spanAt } from "./spans.ts";
import Tree from "./tree.tsx";

/** The envelope exactly as it was sent, as a tree or as text. */
export default function Envelope({ report }: { report: ReportDetail }) {
  const address = `/internal/reports/${report.id}/envelope`;
  const loaded = useLoad(address, () => readStored(address));
  return (
    <Shown loaded={loaded} rows={8} rowHeight={24}>
      {(text) => <Read report={report} text={text} address={address} />}
    </Shown>
  );
}

function Read({ report, text, address }: { report: ReportDetail; text: string; address: string }) {
  const [look, setLook] = useState<"tree" | "raw">("tree");
  const marks = useMemo(() => {
    const members = membersOf(text, spanAt(text), 1_000);
    return marksOf(
      report,
      members.map(({ key }) => key),
    );
  }, [text, report]);
  return (
    <div class="stacked">
      <div class="row wrap">
        <Tabs<"tree" | "raw">
          label="Look at it as"
          look="segmented"
          tabs={[
            { name: "tree", label: "Tree" },
            { name: "raw", label: "Raw" },
          ]}
          chosen={look}
          onChoose={setLook}
        />
        <span class="dim">{bytes(report.receipt.envelopeBytes)}, as it was sent</span>
        <span class="right row">
          {look === "raw" && <CopyButton text={text} label="Copy all" class="btn" />}
          <a class="btn" href={address} download>
            <Icon name="down" small />
            Download
          </a>
        </span>
      </div>
      {look === "tree" ? <Tree key={report.id} text={text} label="Envelope" marks={marks} /> : <Raw text={text} />}
    </div>
  );
}
