import { SortedSet } from "../../runtime/SortedSet.ts"
import type { Charge, CompletedSettlement } from "../Charge.ts"
import { compareText } from "../chargeRules.ts"

/** A settled charge, and when it settled. */
export interface Settled {
  readonly key: string
  readonly atMillis: number
}

const compareSettled = (left: Settled, right: Settled): number =>
  left.atMillis - right.atMillis || compareText(left.key, right.key)

const first: Settled = { key: "", atMillis: -Infinity }

const transferOf = (network: string, transaction: string, logIndex: number): string =>
  `${network} ${transaction} ${logIndex}`

const transferOfCharge = ({ network, receipt, transferLogIndex }: Charge): string | undefined =>
  transferLogIndex === undefined ? undefined : transferOf(network, receipt!.transaction, transferLogIndex)

/** Settled charges by time, those of a payer, those with a recorded response, and the transfers that settled them. */
export class SettledIndex {
  private readonly byTime = new SortedSet<Settled>(compareSettled)
  private readonly withResponse = new SortedSet<Settled>(compareSettled)
  private readonly byPayer = new Map<string, Array<Settled>>()
  private readonly transfers = new Set<string>()

  /** Follows a change of one charge. */
  update(before: Charge | undefined, after: Charge | undefined): void {
    const from = before?.settledAtMillis
    const to = after?.settledAtMillis
    if (from === undefined && to === undefined) return
    if (from !== to) {
      if (before !== undefined && from !== undefined) this.remove(before, { key: before.key, atMillis: from })
      if (after !== undefined && to !== undefined) this.add(after, { key: after.key, atMillis: to })
    } else if (after !== undefined && to !== undefined) {
      const hasResponse = after.response !== undefined
      if ((before?.response !== undefined) === hasResponse) return
      if (hasResponse) this.withResponse.add({ key: after.key, atMillis: to })
      else this.withResponse.delete({ key: after.key, atMillis: to })
    }
  }

  /** Whether a transfer has already settled a charge. */
  isTaken(network: string, { receipt, transferLogIndex }: CompletedSettlement): boolean {
    return (
      transferLogIndex !== undefined &&
      this.transfers.has(transferOf(network, receipt.transaction, transferLogIndex))
    )
  }

  /** Keys of a payer's charges, the latest first. */
  *latestOf(payer: string): Generator<string> {
    const theirs = this.byPayer.get(payer) ?? []
    for (let index = theirs.length - 1; index >= 0; index--) yield theirs[index]!.key
  }

  /** Keys of the charges after another one, those that settled first come first. */
  *after(place: Settled): Generator<string> {
    for (const settled of this.byTime.from(place)) if (compareSettled(settled, place) !== 0) yield settled.key
  }

  /** Keys of the charges with a recorded response, those that settled first come first. */
  *responded(): Generator<string> {
    for (const { key } of this.withResponse.from(first)) yield key
  }

  private add(charge: Charge, settled: Settled): void {
    this.byTime.add(settled)
    if (charge.response !== undefined) this.withResponse.add(settled)
    const transfer = transferOfCharge(charge)
    if (transfer !== undefined) this.transfers.add(transfer)
    const theirs = this.byPayer.get(charge.payer)
    if (theirs === undefined) return void this.byPayer.set(charge.payer, [settled])
    // Sorted by time of settlement: nearly always appended.
    if (theirs.at(-1)!.atMillis <= settled.atMillis) return void theirs.push(settled)
    theirs.splice(theirs.findLastIndex(({ atMillis }) => atMillis <= settled.atMillis) + 1, 0, settled)
  }

  private remove(charge: Charge, settled: Settled): void {
    this.byTime.delete(settled)
    if (charge.response !== undefined) this.withResponse.delete(settled)
    const transfer = transferOfCharge(charge)
    if (transfer !== undefined) this.transfers.delete(transfer)
    const theirs = this.byPayer.get(charge.payer)!
    theirs.splice(
      theirs.findLastIndex(({ key }) => key === charge.key),
      1
    )
    if (theirs.length === 0) this.byPayer.delete(charge.payer)
  }
}
