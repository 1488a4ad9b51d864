import type { JSX } from "preact";

/** Icons of 16 × 16, drawn with strokes in the colour of the text. */
const shapes = {
  agent: (
    <>
      <path d="M8 1.8 13.4 5v6L8 14.2 2.6 11V5zM6 8.1l1.4 1.4L10.2 6.6" />
    </>
  ),
  alert: (
    <>
      <path d="M8 2.2 14.2 13H1.8zM8 6.4v3M8 11.2h.01" />
    </>
  ),
  board: (
    <>
      <rect x="2" y="2.5" width="3.4" height="11" rx="1" />
      <rect x="6.8" y="2.5" width="3.4" height="7" rx="1" />
      <rect x="11.6" y="2.5" width="2.4" height="9" rx="1" />
    </>
  ),
  branch: (
    <>
      <circle cx="4.5" cy="3.8" r="1.6" />
      <circle cx="4.5" cy="12.2" r="1.6" />
      <circle cx="11.5" cy="5.8" r="1.6" />
      <path d="M4.5 5.4v5.2M11.5 7.4c0 2-2.4 2.6-7 2.8" />
    </>
  ),
  check: (
    <>
      <path d="m3.5 8.5 3 3 6-7" />
    </>
  ),
  clip: (
    <>
      <path d="m12.6 7.3-4.9 4.9a3 3 0 0 1-4.3-4.3l5-4.9a2 2 0 0 1 2.9 2.9l-4.9 4.8a1 1 0 0 1-1.4-1.4l4.4-4.4" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.8V8l2.2 1.6" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
    </>
  ),
  disk: (
    <>
      <ellipse cx="8" cy="4" rx="5" ry="2" />
      <path d="M3 4v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2" />
    </>
  ),
  dots: (
    <>
      <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2.2" />
    </>
  ),
  down: (
    <>
      <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />
    </>
  ),
  expand: (
    <>
      <path d="M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9" />
    </>
  ),
  file: (
    <>
      <path d="M4 2h5l3 3v9H4zM9 2v3h3" />
    </>
  ),
  filter: (
    <>
      <path d="M2.5 4h11M4.5 8h7M6.5 12h3" />
    </>
  ),
  gear: (
    <>
      <circle cx="8" cy="8" r="2.1" />
      <path d="M8 1.8v1.9M8 12.3v1.9M1.8 8h1.9M12.3 8h1.9M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.3v3.6M8 5.1h.01" />
    </>
  ),
  key: (
    <>
      <circle cx="5" cy="10.5" r="2.8" />
      <path d="m7 8.5 6-6M11 4.5l2 2M9 6.5l1.3 1.3" />
    </>
  ),
  left: (
    <>
      <path d="M9.5 4.5 6 8l3.5 3.5" />
    </>
  ),
  link: (
    <>
      <path d="M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.1-2.1a2.6 2.6 0 0 0-3.7-3.7l-.7.7M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.5 8.8a2.6 2.6 0 0 0 3.7 3.7l.7-.7" />
    </>
  ),
  more: (
    <>
      <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />
    </>
  ),
  out: (
    <>
      <path d="M6.5 2.8h-3v10.4h3M10 5l3 3-3 3M13 8H6.5" />
    </>
  ),
  pause: (
    <>
      <path d="M5.5 3.5v9M10.5 3.5v9" />
    </>
  ),
  pencil: (
    <>
      <path d="m10.5 3 2.5 2.5L6 12.5l-3 .5.5-3z" />
    </>
  ),
  phone: (
    <>
      <rect x="4.5" y="1.8" width="7" height="12.4" rx="1.5" />
      <path d="M7.5 12h1" />
    </>
  ),
  play: (
    <>
      <path d="M5 3.2v9.6L12.5 8z" />
    </>
  ),
  plus: (
    <>
      <path d="M8 3v10M3 8h10" />
    </>
  ),
  replay: (
    <>
      <path d="M2.8 8a5.2 5.2 0 1 0 1.6-3.8M2.8 2.6v3h3" />
    </>
  ),
  report: (
    <>
      <path d="M4 2h6l3 3v9H4zM10 2v3h3M6.5 8.5h4M6.5 11h2.5" />
    </>
  ),
  right: (
    <>
      <path d="m6.5 4.5 3.5 3.5-3.5 3.5" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.3" />
      <path d="m10.3 10.3 3.4 3.4" />
    </>
  ),
  send: (
    <>
      <path d="M14 2 7.2 8.8M14 2l-4.2 12-2.6-5.2L2 6.2z" />
    </>
  ),
  shield: (
    <>
      <path d="M8 1.8 13 3.6v4c0 3.2-2 5.4-5 6.6-3-1.2-5-3.4-5-6.6v-4z" />
    </>
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1" />
    </>
  ),
  ticket: (
    <>
      <path d="M2 4.5h12v2a1.5 1.5 0 0 0 0 3v2H2v-2a1.5 1.5 0 0 0 0-3zM9.5 4.5v1M9.5 7.5v1M9.5 10.5v1" />
    </>
  ),
  trash: (
    <>
      <path d="M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4" />
    </>
  ),
  undo: (
    <>
      <path d="M3.5 6.5h6a3.5 3.5 0 0 1 0 7h-3M6 3.5l-3 3 3 3" />
    </>
  ),
  users: (
    <>
      <circle cx="6" cy="5.6" r="2.3" />
      <path d="M1.8 13c.4-2.3 2-3.5 4.2-3.5s3.8 1.2 4.2 3.5M10.3 3.6a2.3 2.3 0 0 1 0 4M12 9.8c1.2.5 2 1.6 2.2 3.2" />
    </>
  ),
  video: (
    <>
      <rect x="2" y="4" width="8.5" height="8" rx="1.5" />
      <path d="m10.5 7 3.5-2v6l-3.5-2" />
    </>
  ),
  x: (
    <>
      <path d="m4 4 8 8M12 4l-8 8" />
    </>
  ),
} satisfies Record<string, JSX.Element>;

export type IconName = keyof typeof shapes;

/** An icon is decoration: its meaning stands beside it in words, or in the label of its button. */
export function Icon({ name, small = false, tone }: { name: IconName; small?: boolean; tone?: string }) {
  return (
    <svg class={`icon${small ? " small" : ""}${tone ? ` text-${tone}` : ""}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
