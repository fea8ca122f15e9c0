/*
 * Gas money of the relayer that verified payments are about to use.
 */

/** Gas money for one payment. */
export interface GasReservation {
  /** The authorization. */
  readonly key: string
  /** The balance that it takes from: token and payer. */
  readonly account: string
  readonly amountAtomic: bigint
  readonly costWei: bigint
  /** Whether a payment of the payer was settled lately. */
  readonly isKnown: boolean
}

/** What there is to reserve. */
export interface Unreserved {
  /** What the relayer has beside its open transactions, in wei. */
  readonly relayerWei: bigint
  /** What the payer has beside the open settlements, in atomic units. */
  readonly payerAtomic: bigint
}

interface Entry extends GasReservation {
  readonly expiresAtMillis: number
}

const sumOf = (entries: ReadonlyArray<Entry>): bigint => entries.reduce((sum, each) => sum + each.costWei, 0n)

/**
 * Parts of the relayer's money: for one account at most, for all payers who haven't paid lately, and the last one, of
 * which an account gets one payment.
 */
const parts = { account: 4n, strangers: 2n, last: 4n }

/**
 * Reserves gas money for payments from their verification to their record, for a limited time.
 *
 * One account reserves no more than its balance can pay for, and a quarter of the relayer's money: a payment takes the
 * reservation of the account's oldest one. Payers who haven't paid lately have half of the money; always one payment. The
 * last quarter is for accounts that have reserved nothing else: a few accounts can't take everything.
 */
export class GasReservations {
  private readonly lifetimeMillis: number
  /** By authorization, oldest first. */
  private readonly all = new Map<string, Entry>()
  /** By account, oldest first. */
  private readonly ofAccounts = new Map<string, Set<Entry>>()
  private totalWei = 0n
  private strangersWei = 0n

  constructor(lifetimeMillis: number) {
    this.lifetimeMillis = lifetimeMillis
  }

  /** What other authorizations have reserved, in wei. */
  othersWei(keys: ReadonlyArray<string>, nowMillis: number): bigint {
    for (const [oldest, { expiresAtMillis }] of this.all) {
      if (expiresAtMillis > nowMillis) break
      this.release(oldest)
    }
    return keys.reduce((rest, key) => rest - (this.all.get(key)?.costWei ?? 0n), this.totalWei)
  }

  /**
   * Reserves an amount for an authorization, instead of what it had; `false`: there is too little left, and all keep
   * what they had.
   */
  reserve(wanted: GasReservation, unreserved: Unreserved, nowMillis: number): boolean {
    const { costWei, isKnown, key } = wanted
    const { relayerWei } = unreserved
    const othersWei = this.othersWei([key], nowMillis)
    const replaced = this.replacedBy(wanted, unreserved, othersWei)
    if (othersWei - sumOf(replaced) + costWei > relayerWei) return false
    const own = this.all.get(key)
    const ownStranger = own === undefined || own.isKnown ? 0n : own.costWei
    const strangersWei = this.strangersWei - ownStranger - sumOf(replaced.filter((each) => !each.isKnown))
    const isOverShare = (strangersWei + costWei) * parts.strangers > relayerWei
    if (!isKnown && strangersWei > 0n && isOverShare) return false
    for (const each of replaced) this.release(each.key)
    this.release(key)
    this.add({ ...wanted, expiresAtMillis: nowMillis + this.lifetimeMillis })
    return true
  }

  release(key: string): void {
    const entry = this.all.get(key)
    if (entry === undefined) return
    this.all.delete(key)
    this.totalWei -= entry.costWei
    if (!entry.isKnown) this.strangersWei -= entry.costWei
    const own = this.ofAccounts.get(entry.account)
    own?.delete(entry)
    if (own?.size === 0) this.ofAccounts.delete(entry.account)
  }

  private add(entry: Entry): void {
    this.all.set(entry.key, entry)
    this.totalWei += entry.costWei
    if (!entry.isKnown) this.strangersWei += entry.costWei
    const own = this.ofAccounts.get(entry.account)
    if (own === undefined) this.ofAccounts.set(entry.account, new Set([entry]))
    else own.add(entry)
  }

  /** The oldest reservations of an account, without which it may have the new one beside the others. */
  private replacedBy(
    { account, amountAtomic, costWei, key }: GasReservation,
    { payerAtomic, relayerWei }: Unreserved,
    othersWei: bigint
  ): ReadonlyArray<Entry> {
    const own = [...(this.ofAccounts.get(account) ?? [])].filter((each) => each.key !== key)
    let atomic = own.reduce((sum, each) => sum + each.amountAtomic, amountAtomic)
    let wei = sumOf(own) + costWei
    const ofOthersWei = othersWei - sumOf(own)
    const kept = own.findIndex((oldest) => {
      const isWithinShare = wei * parts.account <= relayerWei
      const leavesLast = (ofOthersWei + wei) * parts.last <= relayerWei * (parts.last - 1n)
      if (atomic <= payerAtomic && isWithinShare && leavesLast) return true
      atomic -= oldest.amountAtomic
      wei -= oldest.costWei
      return false
    })
    return kept === -1 ? own : own.slice(0, kept)
  }
}
