import type { FacilitatorClient } from "@till402/core"
import { openHandWritten, verifyWorkSettle } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"

export const recordsFirst = "a hand-rolled server that records a payment before it verifies it"

export interface RecordsFirst extends NaiveServer {
  /** The rows of its table. */
  readonly rows: () => ReadonlyArray<string>
}

/** A former rule of Till402: every presented payment is stored as a row with its header. */
export const openRecordsFirst = (
  facilitator: FacilitatorClient,
  options: NaiveOptions = {}
): RecordsFirst => {
  const rows = new Map<string, string>()
  const server = openHandWritten(async (request) => {
    const { from, nonce } = request.payment.payload.authorization
    rows.set(`${from}:${nonce}`, request.header)
    return verifyWorkSettle(facilitator, request)
  }, options)
  return { ...server, rows: () => Array.from(rows.values()) }
}
