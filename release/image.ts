import { gzipSync } from "node:zlib";
import { type Entry, file, sorted } from "./entry.ts";
import { tar } from "./tar.ts";
import type { Target } from "./targets.ts";

/** Nobody's number on the host: distroless images use the same. */
const user = 65_532;

interface Image {
  version: string;
  commit: string;
  seconds: number;
}

export interface Platform {
  target: Target;
  binary: Uint8Array;
  /** The C library and its licence, as Debian ships them. */
  libraries: readonly Entry[];
  licences: string;
}

/**
 * An image layout of the Open Container Initiative as one tar archive, made without a daemon: nothing in it but the
 * binary, the C library, and the few files of /etc that name resolution reads. No shell, no package manager.
 */
export function imageLayout(image: Image, platforms: readonly Platform[]): Uint8Array {
  const blobs = new Map<string, Uint8Array>();
  const add = (mediaType: string, bytes: Uint8Array) => {
    const digest = Bun.SHA256.hash(bytes, "hex");
    blobs.set(`blobs/sha256/${digest}`, bytes);
    return { mediaType: `application/vnd.oci.image.${mediaType}`, digest: `sha256:${digest}`, size: bytes.length };
  };
  const addJson = (mediaType: string, value: object) => add(mediaType, new TextEncoder().encode(JSON.stringify(value)));
  const manifests = platforms.map((platform) => {
    const layers = [base(platform), application(platform)].map((entries) => tar(entries, image.seconds));
    const config = addJson("config.v1+json", configOf(image, platform.target, layers));
    const packed = layers.map((layer) => add("layer.v1.tar+gzip", gzipSync(layer, { level: 6 })));
    const manifest = addJson("manifest.v1+json", {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config,
      layers: packed,
    });
    return { ...manifest, platform: { os: "linux", architecture: platform.target.linux?.architecture } };
  });
  const index = addJson("index.v1+json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests,
  });
  const named = {
    ...index,
    annotations: {
      // The name that containerd, Docker and Podman give the image when they load it.
      "io.containerd.image.name": `localhost/intake:${image.version}`,
      "org.opencontainers.image.ref.name": image.version,
    },
  };
  const files: Entry[] = [
    file("oci-layout", '{"imageLayoutVersion":"1.0.0"}'),
    file("index.json", JSON.stringify({ schemaVersion: 2, manifests: [named] })),
    ...[...blobs].map(([path, bytes]) => file(path, bytes)),
  ];
  return tar(files, image.seconds);
}

function base({ libraries }: Platform): Entry[] {
  return withFolders([
    ...libraries,
    file("etc/passwd", `root:x:0:0:root:/:/nonexistent\nintake:x:${user}:${user}:intake:/data:/nonexistent\n`),
    file("etc/group", `root:x:0:\nintake:x:${user}:\n`),
    file("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    { path: "tmp", kind: "folder", mode: 0o1777 },
  ]);
}

function application({ binary, licences }: Platform): Entry[] {
  return withFolders([
    file("usr/bin/intake", binary, 0o755),
    file("usr/share/doc/intake/copyright", licences),
    { path: "data", kind: "folder", mode: 0o700, owner: user },
  ]);
}

/** Adds the folders above every entry. */
function withFolders(entries: readonly Entry[]): Entry[] {
  const folders = new Map<string, Entry>();
  for (const { path } of entries) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      folders.set(path.slice(0, at), { path: path.slice(0, at), kind: "folder", mode: 0o755 });
    }
  }
  for (const { path } of entries) folders.delete(path);
  return sorted([...folders.values(), ...entries]);
}

function configOf({ version, commit, seconds }: Image, { linux }: Target, layers: readonly Uint8Array[]) {
  const created = new Date(seconds * 1000).toISOString();
  return {
    created,
    architecture: linux?.architecture,
    os: "linux",
    config: {
      User: `${user}:${user}`,
      ExposedPorts: { "3000/tcp": {} },
      Env: ["PATH=/usr/bin", "INTAKE_DATA=/data", "INTAKE_HOST=0.0.0.0"],
      Entrypoint: ["/usr/bin/intake"],
      Cmd: ["serve"],
      Volumes: { "/data": {} },
      WorkingDir: "/data",
      StopSignal: "SIGTERM",
      // Not of the standard, but Docker and Podman read it; elsewhere `/readyz` is asked.
      Healthcheck: {
        Test: ["CMD", "/usr/bin/intake", "healthcheck"],
        Interval: 30e9,
        Timeout: 6e9,
        StartPeriod: 10e9,
        Retries: 3,
      },
      Labels: {
        "org.opencontainers.image.title": "Intake",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.revision": commit,
        "org.opencontainers.image.licenses": "MIT AND LGPL-2.1-or-later",
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map((layer) => `sha256:${Bun.SHA256.hash(layer, "hex")}`) },
    history: ["Debian libc6", `Intake ${version}`].map((created_by) => ({ created, created_by })),
  };
}
