import { BoundedMap } from "../../runtime/BoundedMap.ts"

const maxPayers = 10_000
const dayMillis = 86_400_000
/** How long a settled payment counts as recent. */
export const recentMillis = 60_000
/** How long a payer counts as known by a payment that may yet be refunded. */
const learnedMillis = 60_000

interface Account {
  /** Amount recently settled in this process, and until when it counts. */
  recentAtomic: bigint
  recentUntilMillis: number
  /** The same across all processes, when the store was last read. */
  sharedRecentAtomic: bigint
  /** Until when the payer counts as known without reading the store. */
  knownUntilMillis: number
  /** Settled in this process; starts over with the first settlement after a day without one. */
  paidAtomic: bigint
  paidUntilMillis: number
  /** Work that was never paid for. */
  lostAtomic: bigint
  /** Credit that work in progress has taken. */
  creditedAtomic: bigint
}

export interface PayerAccountsConfig {
  /** Initial and highest limit on a payer's concurrent unsettled work. */
  readonly exposurePerPayer: bigint
  readonly maxExposurePerPayer: bigint
}

const smaller = (left: bigint, right: bigint): bigint => (left < right ? left : right)

/**
 * Tracks payers' settlements in this process, and the limits that they earn. All limits are money, not calls:
 *
 * - Exposure: the limit on a payer's concurrent unsettled work. Grows with every settlement (slow start), for a minute.
 *   A payment that does not settle ends that growth.
 * - Credit: what the payer has paid within a day, less what was lost. Unsettled work within it doesn't use the loss
 *   budget for strangers.
 *
 * Only for payers whose signature was verified. Bounded. The store shares the necessary parts between processes.
 */
export class PayerAccounts {
  private readonly accounts = new BoundedMap<string, Account>(maxPayers)
  private readonly config: PayerAccountsConfig

  constructor(config: PayerAccountsConfig) {
    this.config = config
  }

  /** Whether the payer settled here within a day; `undefined`: the store decides. */
  isKnown(payer: string, nowMillis: number): true | undefined {
    const account = this.accounts.get(payer)
    return account !== undefined && account.knownUntilMillis > nowMillis ? true : undefined
  }

  /**
   * Records that the payer has settled, by a payment that gives no credit since it may yet be refunded. Counts for a
   * minute; after that the store decides.
   */
  learnKnown(payer: string, nowMillis: number): void {
    const account = this.open(payer)
    account.knownUntilMillis = Math.max(account.knownUntilMillis, nowMillis + learnedMillis)
  }

  /** Takes credit for a call, to be returned; `false`: there is not enough. */
  takeCredit(payer: string, atomic: bigint): boolean {
    const account = this.accounts.get(payer)
    if (account === undefined) return false
    if (account.creditedAtomic + account.lostAtomic + atomic > account.paidAtomic) return false
    account.creditedAtomic += atomic
    return true
  }

  /** What the payer has paid within a day, less what was lost. */
  paidLessLost(payer: string): bigint {
    const account = this.accounts.get(payer)
    return account === undefined ? 0n : positive(account.paidAtomic - account.lostAtomic)
  }

  returnCredit(payer: string, atomic: bigint): void {
    const account = this.accounts.get(payer)
    if (account !== undefined) account.creditedAtomic = positive(account.creditedAtomic - atomic)
  }

  /** Limit on the payer's concurrent unsettled work. */
  maxExposure(payer: string, nowMillis: number): bigint {
    const account = this.accounts.get(payer)
    const { exposurePerPayer, maxExposurePerPayer } = this.config
    if (account === undefined || account.recentUntilMillis <= nowMillis) return exposurePerPayer
    const recent =
      account.recentAtomic > account.sharedRecentAtomic ? account.recentAtomic : account.sharedRecentAtomic
    const grown = smaller(exposurePerPayer + recent, maxExposurePerPayer)
    return grown > exposurePerPayer ? grown : exposurePerPayer
  }

  /** Records the amount that the payer recently settled in all processes. */
  learnRecent(payer: string, settledAtomic: bigint, nowMillis: number): void {
    if (settledAtomic === 0n) return
    const account = this.open(payer)
    account.sharedRecentAtomic = settledAtomic
    account.recentUntilMillis = Math.max(account.recentUntilMillis, nowMillis + recentMillis)
  }

  /** Records a settlement; `atomic` of it pays for completed work and won't be refunded. */
  earn(payer: string, atomic: bigint, nowMillis: number): void {
    const account = this.open(payer)
    const isRecent = account.recentUntilMillis > nowMillis
    account.recentAtomic = (isRecent ? account.recentAtomic : 0n) + atomic
    if (!isRecent) account.sharedRecentAtomic = 0n
    account.recentUntilMillis = nowMillis + recentMillis
    const isToday = account.paidUntilMillis > nowMillis
    account.paidAtomic = (isToday ? account.paidAtomic : 0n) + atomic
    if (!isToday) account.lostAtomic = 0n
    account.paidUntilMillis = nowMillis + dayMillis
    account.knownUntilMillis = nowMillis + dayMillis
    // Makes the account the newest: the one that settled longest ago is evicted first.
    this.accounts.set(payer, account)
  }

  /** Takes back what was earned by a payment that is refunded or undone. Whether the payer is known, the store decides. */
  takeBack(payer: string, atomic: bigint): void {
    const account = this.accounts.get(payer)
    if (account === undefined) return
    account.recentAtomic = positive(account.recentAtomic - atomic)
    account.sharedRecentAtomic = 0n
    account.paidAtomic = positive(account.paidAtomic - atomic)
    account.knownUntilMillis = 0
  }

  /** Records work that is not paid for. */
  lose(payer: string, atomic: bigint): void {
    const account = this.accounts.get(payer)
    if (account !== undefined) account.lostAtomic += atomic
  }

  /** Ends the growth of the payer's exposure: a payment did not settle, or its outcome is unknown. */
  forgetRecent(payer: string): void {
    const account = this.accounts.get(payer)
    if (account === undefined) return
    account.recentAtomic = 0n
    account.sharedRecentAtomic = 0n
  }

  private open(payer: string): Account {
    const known = this.accounts.get(payer)
    if (known !== undefined) return known
    const account: Account = {
      recentAtomic: 0n,
      recentUntilMillis: 0,
      sharedRecentAtomic: 0n,
      knownUntilMillis: 0,
      paidAtomic: 0n,
      paidUntilMillis: 0,
      lostAtomic: 0n,
      creditedAtomic: 0n
    }
    this.accounts.set(payer, account)
    return account
  }
}

const positive = (atomic: bigint): bigint => (atomic > 0n ? atomic : 0n)
