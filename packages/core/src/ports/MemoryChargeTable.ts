import type { Charge, ClaimLimits, CompletedSettlement, NewCharge } from "./Charges.ts"

export type Changes = Partial<{ -readonly [Field in keyof Charge]: Charge[Field] }>

/** Charges by key, with the indexes that the frequent verbs need. */
export interface ChargeTable {
  readonly get: (key: string) => Charge | undefined
  readonly all: () => ReadonlyArray<Charge>
  readonly put: (charge: Charge) => void
  readonly remove: (charge: Charge) => void
  /** Changes a charge that meets a condition; the charge as it is now, if it does. */
  readonly change: (key: string, when: (charge: Charge) => boolean, to: Changes) => Charge | undefined
  /** Which limit a new charge would exceed beside the payer's other charges. */
  readonly limitedBy: (
    charge: NewCharge,
    limits: ClaimLimits,
    nowMillis: number
  ) => "charges" | "exposure" | undefined
  /** Whether a transfer has settled a charge. */
  readonly isTaken: (network: string, settlement: CompletedSettlement) => boolean
  /** A payer's charges that are `ready` or `claimed`, whatever their lease. */
  readonly openOf: (payer: string) => Iterable<Charge>
  /** A payer's settled charges, the latest first. */
  readonly settledOf: (payer: string) => Iterable<Charge>
}

/** Where a charge stands as it is now; a charge itself never changes. */
interface Row {
  charge: Charge
}

/** Charges of a payer that can count against its limits, and the sum of their exposures. */
interface Counted {
  readonly keys: Set<string>
  exposure: bigint
}

/** Settled charges, and voided ones that cost nothing, count against no limit. */
const counts = ({ exposureAtomic, state }: Charge): boolean =>
  state !== "settled" && (state !== "voided" || exposureAtomic !== "0")

export const makeChargeTable = (): ChargeTable => {
  const charges = new Map<string, Row>()
  const counted = new Map<string, Counted>()
  const settled = makeSettled()

  /** Brings the indexes up to date after a change of one charge. */
  const index = (before: Charge | undefined, after: Charge | undefined): void => {
    if (before?.state === after?.state && before?.exposureAtomic === after?.exposureAtomic) return
    if (before !== undefined && counts(before)) uncount(before)
    if (after !== undefined && counts(after)) count(after)
    if (before?.state === "settled") settled.remove(before)
    if (after?.state === "settled") settled.add(after)
  }
  const count = ({ exposureAtomic, key, payer }: Charge): void => {
    const known = counted.get(payer)
    if (known === undefined) {
      counted.set(payer, { keys: new Set([key]), exposure: BigInt(exposureAtomic) })
    } else {
      known.keys.add(key)
      known.exposure += BigInt(exposureAtomic)
    }
  }
  const uncount = ({ exposureAtomic, key, payer }: Charge): void => {
    const known = counted.get(payer)!
    known.keys.delete(key)
    known.exposure -= BigInt(exposureAtomic)
    if (known.keys.size === 0) counted.delete(payer)
  }
  const countedOf = function* (payer: string): Generator<Charge> {
    for (const key of counted.get(payer)?.keys ?? []) yield charges.get(key)!.charge
  }

  return {
    get: (key) => charges.get(key)?.charge,
    all: () => Array.from(charges.values(), ({ charge }) => charge),
    put: (charge) => {
      const row = charges.get(charge.key)
      index(row?.charge, charge)
      if (row === undefined) charges.set(charge.key, { charge })
      else row.charge = charge
    },
    remove: (charge) => {
      index(charge, undefined)
      charges.delete(charge.key)
    },
    change: (key, when, to) => {
      const row = charges.get(key)
      if (row === undefined || !when(row.charge)) return undefined
      const before = row.charge
      row.charge = { ...before, ...to }
      index(before, row.charge)
      return row.charge
    },
    limitedBy: ({ exposureAtomic, key, payer }, { maxExposureAtomic, maxUnsettled }, nowMillis) => {
      const known = counted.get(payer)
      if (known === undefined) return maxUnsettled > 0 ? undefined : "charges"
      const added = BigInt(exposureAtomic)
      const max = BigInt(maxExposureAtomic)
      // Most payers are far below both limits: then no charge is looked at.
      if (known.keys.size < maxUnsettled && known.exposure + added <= max) return undefined
      let unsettled = 0
      let exposure = 0n
      for (const other of countedOf(payer)) {
        if (other.key === key || (other.state === "claimed" && other.leaseUntilMillis <= nowMillis)) continue
        if (other.state !== "voided") unsettled++
        exposure += BigInt(other.exposureAtomic)
      }
      if (unsettled >= maxUnsettled) return "charges"
      return added > 0n && exposure > 0n && exposure + added > max ? "exposure" : undefined
    },
    isTaken: settled.isTaken,
    openOf: function* (payer) {
      for (const charge of countedOf(payer)) if (charge.state !== "voided") yield charge
    },
    settledOf: function* (payer) {
      for (const key of settled.latestOf(payer)) yield charges.get(key)!.charge
    }
  }
}

interface Settled {
  readonly key: string
  readonly atMillis: number
}

/** The keys of settled charges by payer, and the transfers that settled them. */
const makeSettled = () => {
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
      // In the order of settlement: nearly always the last.
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
