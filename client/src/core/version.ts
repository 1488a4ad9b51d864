/** Of the package; a test holds it together with package.json. */
export const version = "0.1.0";

/** How the SDK names itself: in the header `X-Intake-Sdk` and in the envelope. */
export const sdkName = "@intake/client";
