import type { Charge, CompletedSettlement } from "../Charge.ts"

interface Settled {
  readonly key: string
  readonly atMillis: number
}

/** Makes an index of settled charges: their keys by payer, and the transfers that settled them. */
export const makeSettledIndex = () => {
  const byPayer = new Map<string, Array<Settled>>()
  const transfers = new Set<string>()
  const transferOf = (network: string, transaction: string, logIndex: number): string =>
    `${network} ${transaction} ${logIndex}`
  const transferOfCharge = ({ network, receipt, transferLogIndex }: Charge): string | undefined =>
    transferLogIndex === undefined ? undefined : transferOf(network, receipt!.transaction, transferLogIndex)
  return {
    add: (charge: Charge): void => {
      const transfer = transferOfCharge(charge)
      if (transfer !== undefined) transfers.add(transfer)
      const added = { key: charge.key, atMillis: charge.settledAtMillis! }
      const theirs = byPayer.get(charge.payer)
      if (theirs === undefined) return void byPayer.set(charge.payer, [added])
      // Sorted by time of settlement: nearly always appended.
      if (theirs.at(-1)!.atMillis <= added.atMillis) return void theirs.push(added)
      theirs.splice(theirs.findLastIndex(({ atMillis }) => atMillis <= added.atMillis) + 1, 0, added)
    },
    remove: (charge: Charge): void => {
      const transfer = transferOfCharge(charge)
      if (transfer !== undefined) transfers.delete(transfer)
      const theirs = byPayer.get(charge.payer)!
      theirs.splice(
        theirs.findLastIndex(({ key }) => key === charge.key),
        1
      )
      if (theirs.length === 0) byPayer.delete(charge.payer)
    },
    isTaken: (network: string, { receipt, transferLogIndex }: CompletedSettlement): boolean =>
      transferLogIndex !== undefined &&
      transfers.has(transferOf(network, receipt.transaction, transferLogIndex)),
    latestOf: function* (payer: string): Generator<string> {
      const theirs = byPayer.get(payer) ?? []
      for (let index = theirs.length - 1; index >= 0; index--) yield theirs[index]!.key
    }
  }
}
