import { peakResidentBytes, residentBytes } from "../../bench/process-stats.ts";
import { attachment, boundary, envelope, form } from "../../support/ingest.ts";
import { Deployment, type Process } from "../chaos/deployment.ts";

const [uploads, bytes] = [32, 24 * 1_048_576];

interface UploadReport {
  uploads: number;
  bytesEach: number;
  statuses: number[];
  /** Of the whole server process. */
  residentBefore: number;
  residentPeak: number;
}

/** Sends large attachments at once to one process, which keeps them on the S3 server. */
export async function measureUploads(): Promise<UploadReport> {
  const deployment = await Deployment.start({ processes: 1 });
  try {
    const { server } = deployment.processes[0] as Process;
    const content = new Uint8Array(bytes);
    for (let i = 0; i < bytes; i += 65_536) crypto.getRandomValues(content.subarray(i, i + 65_536));
    const residentBefore = residentBytes(server.pid);
    const send = async () => {
      const response = await fetch(`${server.url}/api/ingest`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${deployment.made.sdkKey.key}`,
          "content-type": `multipart/form-data; boundary=${boundary}`,
        },
        body: new Uint8Array(form([envelope({ reportId: crypto.randomUUID() }), attachment(content)])),
      });
      await response.text();
      return response.status;
    };
    const statuses = await Promise.all(Array.from({ length: uploads }, send));
    return { uploads, bytesEach: bytes, statuses, residentBefore, residentPeak: peakResidentBytes(server.pid) };
  } finally {
    await deployment.stop();
  }
}
