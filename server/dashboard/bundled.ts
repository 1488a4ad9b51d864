import { bundledAssets } from "./bundle.ts" with { type: "macro" };

/** The scripts, styles and the icon of the dashboard, made while the server was bundled. */
export const bundled = bundledAssets();
