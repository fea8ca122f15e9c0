import type { LedgerLine } from "@till402/core"

/*
 * The last record of a page as a text, after which the next page begins.
 */

/** `millis~rest`: a time and what tells records of that time apart. */
export const cursor = (at: Date, rest: string): string => `${at.getTime()}~${rest}`

export const readCursor = (
  text: string | undefined
): { readonly at: Date; readonly rest: string } | undefined => {
  const match = /^(\d{1,15})~(.+)$/s.exec(text ?? "")
  return match === null ? undefined : { at: new Date(Number(match[1])), rest: match[2]! }
}

/** The last entry of a page as its cursor: what the ledger orders entries by. */
export const lineCursor = ({ at, chargeKey, kind, round }: LedgerLine): string =>
  cursor(at, `${kind}~${round}~${chargeKey}`)

export const readLine = (text: string | undefined): LedgerLine | undefined => {
  const read = readCursor(text)
  const match = /^(\w+)~(\d+)~(.+)$/s.exec(read?.rest ?? "")
  if (read === undefined || match === null) return undefined
  const [, kind, round, chargeKey] = match
  // The ledger reads these members of the last entry alone.
  return { at: read.at, kind, round: Number(round), chargeKey } as LedgerLine
}
