/** The headings under which the page shows settings, in their order. */
export const settingGroups = ["Address", "What is kept", "Privacy", "Agent", "Limits"] as const;
export type SettingGroup = (typeof settingGroups)[number];
