/*
 * What the command `till402` shares with the console: actions, their log, what indexers
 * read, and how values are shown.
 */
export { type ActionEntry, actionLine } from "./ActionLog.ts"
export { type Action, actions, outcomeOf, outcomeText } from "./Actions.ts"
export type { ConsoleSource } from "./ConsoleSource.ts"
export { isOwnHost } from "./ownHost.ts"
export { lineCursor, readLine } from "./cursors.ts"
export {
  descriptionFinding,
  headerFinding,
  maxDescription,
  type ReadChallenge,
  readChallenge,
  statusFinding
} from "./listing/challenge.ts"
export { ofListing, ofOpenApi } from "./listing/documents.ts"
export {
  addressText,
  chargeState,
  chargeStates,
  dollars,
  momentOf,
  networkName,
  orderStatus,
  sentence,
  short,
  words
} from "./text.ts"
