/*
 * What the command `till402` shares with the console: actions, their log, and how values are shown.
 */
export { type ActionEntry, actionLine } from "./ActionLog.ts"
export { type Action, actions, outcomeOf, outcomeText } from "./Actions.ts"
export type { ConsoleSource } from "./ConsoleSource.ts"
export { lineCursor, readLine } from "./cursors.ts"
export { dollars, momentOf, networkName, short, words } from "./text.ts"
