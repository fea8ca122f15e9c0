import type { Charge, ClaimLimits, CompletedSettlement, NewCharge, RepeatRule } from "../Charge.ts"
import { byAge, isNamedSo, isRepeatOf, isUnfinished, mayStillMove } from "../chargeRules.ts"
import { type Settled, SettledIndex } from "./SettledIndex.ts"

/** Fields of a charge to change. */
export type Changes = Partial<{ -readonly [Field in keyof Charge]: Charge[Field] }>

/** Holds the current version of a charge; a version never changes. */
interface Row {
  charge: Charge
}

/** Charges of a payer that can count against their limits, and the sum of their exposures. */
interface Counted {
  readonly keys: Set<string>
  exposure: bigint
}

/** Settled charges, and voided ones that cost nothing, count against no limit. */
const counts = ({ exposureAtomic, state }: Charge): boolean =>
  state !== "settled" && (state !== "voided" || exposureAtomic !== "0")

/** Whether a charge is unfinished, but counts against no limit; no ordinary paid call makes one. */
const isLeftOver = (charge: Charge): boolean => isUnfinished(charge) && !counts(charge)

/** Whether another charge may repeat one. */
const isRepeatable = (charge: Charge | undefined): boolean =>
  charge !== undefined && (charge.repeatKey !== "" || charge.paymentId !== "")

/** Charges by key, with the indexes that frequent methods need. */
export class ChargeTable {
  private readonly rows = new Map<string, Row>()
  private readonly counted = new Map<string, Counted>()
  private readonly settled = new SettledIndex()
  private readonly leftOverKeys = new Set<string>()
  private readonly refundKeys = new Set<string>()
  /** Charges that another may repeat, by their payer. */
  private readonly guardingKeys = new Map<string, Set<string>>()

  get(key: string): Charge | undefined {
    return this.rows.get(key)?.charge
  }

  all(): Array<Charge> {
    return Array.from(this.rows.values(), ({ charge }) => charge)
  }

  /** Charges that `takeOver` takes, whatever their lease. */
  unfinished(): Array<Charge> {
    const counted = Array.from(this.counted.values()).flatMap(({ keys }) => Array.from(keys))
    return Array.from(this.chargesOf([...counted, ...this.leftOverKeys]))
  }

  /** Charges whose refund is due. */
  refundsDue(): Array<Charge> {
    return Array.from(this.chargesOf(this.refundKeys))
  }

  /** Settled charges after another one, those that settled first come first. */
  settledAfter(place: Settled): Generator<Charge> {
    return this.chargesOf(this.settled.after(place))
  }

  /** Settled charges with a recorded response, those that settled first come first. */
  withResponse(): Generator<Charge> {
    return this.chargesOf(this.settled.responded())
  }

  put(charge: Charge): void {
    const row = this.rows.get(charge.key)
    this.index(row?.charge, charge)
    if (row === undefined) this.rows.set(charge.key, { charge })
    else row.charge = charge
  }

  remove(charge: Charge): void {
    this.index(charge, undefined)
    this.rows.delete(charge.key)
  }

  /** Changes a charge that meets a condition and returns it; otherwise returns `undefined`. */
  change(key: string, when: (charge: Charge) => boolean, to: Changes): Charge | undefined {
    const row = this.rows.get(key)
    if (row === undefined || !when(row.charge)) return undefined
    const before = row.charge
    row.charge = { ...before, ...to }
    this.index(before, row.charge)
    return row.charge
  }

  /** The charge that a new one would repeat: the newest that is named so, else the newest. */
  repeatedBy(charge: Pick<NewCharge, "key" | "payer">, rule: RepeatRule): Charge | undefined {
    const repeated = Array.from(this.chargesOf(this.guardingKeys.get(charge.payer) ?? []))
      .filter((first) => isRepeatOf(first, charge, rule))
      .sort(byAge)
    return repeated.findLast((first) => isNamedSo(first, rule.named)) ?? repeated.at(-1)
  }

  /** The limit that a new charge would exceed together with the payer's other charges. */
  limitedBy(
    { exposureAtomic, key, payer }: NewCharge,
    { maxExposureAtomic, maxUnsettled }: ClaimLimits,
    nowMillis: number
  ): "charges" | "exposure" | undefined {
    const known = this.counted.get(payer)
    if (known === undefined) return maxUnsettled > 0 ? undefined : "charges"
    const added = BigInt(exposureAtomic)
    const max = BigInt(maxExposureAtomic)
    // Most payers are far below both limits: no charge is read for them.
    if (known.keys.size < maxUnsettled && known.exposure + added <= max) return undefined
    let unsettled = 0
    let exposure = 0n
    for (const other of this.countedOf(payer)) {
      if (other.key === key || (other.state === "claimed" && other.leaseUntilMillis <= nowMillis)) continue
      if (other.state === "ready" && !mayStillMove(other, nowMillis)) continue
      if (other.state !== "voided") unsettled++
      exposure += BigInt(other.exposureAtomic)
    }
    if (unsettled >= maxUnsettled) return "charges"
    return added > 0n && exposure > 0n && exposure + added > max ? "exposure" : undefined
  }

  /** Whether a transfer has already settled a charge. */
  isTaken(network: string, settlement: CompletedSettlement): boolean {
    return this.settled.isTaken(network, settlement)
  }

  /** A payer's charges that are `ready` or `claimed`, whatever their lease. */
  *openOf(payer: string): Generator<Charge> {
    for (const charge of this.countedOf(payer)) if (charge.state !== "voided") yield charge
  }

  /** A payer's settled charges, the latest first. */
  settledOf(payer: string): Generator<Charge> {
    return this.chargesOf(this.settled.latestOf(payer))
  }

  private countedOf(payer: string): Generator<Charge> {
    return this.chargesOf(this.counted.get(payer)?.keys ?? [])
  }

  private *chargesOf(keys: Iterable<string>): Generator<Charge> {
    for (const key of keys) {
      const charge = this.get(key)
      if (charge !== undefined) yield charge
    }
  }

  /** Updates the indexes after a change of one charge. */
  private index(before: Charge | undefined, after: Charge | undefined): void {
    const key = (after ?? before)!.key
    const wasLeftOver = before !== undefined && isLeftOver(before)
    const isNowLeftOver = after !== undefined && isLeftOver(after)
    if (wasLeftOver !== isNowLeftOver) setMember(this.leftOverKeys, key, isNowLeftOver)
    if (before?.refund !== after?.refund) setMember(this.refundKeys, key, after?.refund?._tag === "Due")
    if (isRepeatable(before) !== isRepeatable(after)) this.indexGuard((after ?? before)!, after)
    this.settled.update(before, after)
    if (before?.state === after?.state && before?.exposureAtomic === after?.exposureAtomic) return
    if (before !== undefined && counts(before)) this.uncount(before)
    if (after !== undefined && counts(after)) this.count(after)
  }

  private indexGuard({ key, payer }: Charge, after: Charge | undefined): void {
    const keys = this.guardingKeys.get(payer) ?? new Set()
    setMember(keys, key, isRepeatable(after))
    if (keys.size === 0) this.guardingKeys.delete(payer)
    else this.guardingKeys.set(payer, keys)
  }

  private count({ exposureAtomic, key, payer }: Charge): void {
    const known = this.counted.get(payer)
    if (known === undefined) {
      this.counted.set(payer, { keys: new Set([key]), exposure: BigInt(exposureAtomic) })
    } else {
      known.keys.add(key)
      known.exposure += BigInt(exposureAtomic)
    }
  }

  private uncount({ exposureAtomic, key, payer }: Charge): void {
    const known = this.counted.get(payer)
    if (known === undefined) return
    known.keys.delete(key)
    known.exposure -= BigInt(exposureAtomic)
    if (known.keys.size === 0) this.counted.delete(payer)
  }
}

const setMember = (keys: Set<string>, key: string, isMember: boolean): void => {
  if (isMember) keys.add(key)
  else keys.delete(key)
}
