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

/** Parts of the relayer's money: for one account at most, and for all payers who haven't paid lately. */
const parts = { account: 4n, strangers: 2n }

/**
 * Reserves gas money for payments from their verification to their record, for a limited time.
 *
 * One account reserves no more than its balance can pay for, and a quarter of the relayer's money: a payment takes the
 * reservation of the account's oldest one. Payers who haven't paid lately have half of the money; always one payment.
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

  /** Reserves an amount for an authorization, instead of what it had; `false`: there is too little left. */
  reserve(wanted: GasReservation, unreserved: Unreserved, nowMillis: number): boolean {
    const { costWei, isKnown, key } = wanted
    const { relayerWei } = unreserved
    this.makeRoom(wanted, unreserved)
    if (this.othersWei([key], nowMillis) + costWei > relayerWei) return false
    this.release(key)
    const isOverShare = (this.strangersWei + costWei) * parts.strangers > relayerWei
    if (!isKnown && this.strangersWei > 0n && isOverShare) return false
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

  /** Releases the oldest reservations of an account, until it may have the new one beside the others. */
  private makeRoom(
    { account, amountAtomic, costWei, key }: GasReservation,
    { payerAtomic, relayerWei }: Unreserved
  ): void {
    const own = [...(this.ofAccounts.get(account) ?? [])].filter((each) => each.key !== key)
    let atomic = own.reduce((sum, each) => sum + each.amountAtomic, amountAtomic)
    let wei = own.reduce((sum, each) => sum + each.costWei, costWei)
    for (const oldest of own) {
      if (atomic <= payerAtomic && wei * parts.account <= relayerWei) return
      this.release(oldest.key)
      atomic -= oldest.amountAtomic
      wei -= oldest.costWei
    }
  }
}
