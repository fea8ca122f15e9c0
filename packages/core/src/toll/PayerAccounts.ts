const maxPayers = 10_000
const dayMillis = 86_400_000

interface Account {
  /** Settled here lately, and until when that counts. */
  recentAtomic: bigint
  recentUntilMillis: number
  /** The same over all processes, as the store said when it was last read. */
  sharedRecentAtomic: bigint
  /** Until when the payer counts as known: a day after a settlement, here or in another process. */
  knownUntilMillis: number
  /** Settled in this process; begins anew with the first settlement after a day without one. */
  paidAtomic: bigint
  paidUntilMillis: number
  /** Work that was done and never paid for. */
  lostAtomic: bigint
  /** Work in progress without a verification, and work in progress that `paidAtomic` covers. */
  onCreditAtomic: bigint
  coveredAtomic: bigint
}

export interface PayerAccountsConfig {
  /** How long a settled payment counts as recent. */
  readonly recentMillis: number
  /** Most work of one payer that is done without a verification first; 0: none. */
  readonly creditAtomic: bigint
  /** Where the bound on a payer's concurrent unsettled work starts, and where it ends. */
  readonly exposureAtomic: bigint
  readonly maxExposureAtomic: bigint
}

const smaller = (left: bigint, right: bigint): bigint => (left < right ? left : right)

/**
 * What payers have settled here, and what that is worth. All of it is money, not calls:
 *
 * - Credit: work done without a verification first. At most what settled recently, so that a payer can
 *   cause no greater loss than they have just paid. A payment that does not settle ends it.
 * - Exposure: the bound on a payer's concurrent unsettled work. Grows with every settlement (slow start).
 * - Cover: unsettled work that earlier payments of the same payer outweigh; it doesn't use up the budget for the losses
 *   that strangers cause.
 *
 * Only for payers whose signature was checked. Bounded; of one process; the store shares what matters.
 */
export class PayerAccounts {
  private readonly accounts = new Map<string, Account>()
  private readonly config: PayerAccountsConfig

  constructor(config: PayerAccountsConfig) {
    this.config = config
  }

  /** Whether the payer settled here within a day; `undefined`: the store has to be asked. */
  isKnown(payer: string, nowMillis: number): true | undefined {
    const account = this.accounts.get(payer)
    return account !== undefined && account.knownUntilMillis > nowMillis ? true : undefined
  }

  /** Records that the payer settled within a day, as the store says. It covers nothing: it may be refunded since. */
  learnKnown(payer: string, nowMillis: number): void {
    this.open(payer).knownUntilMillis = nowMillis + dayMillis
  }

  /** Takes credit for a call, to be given back; `false`: the payer has too little. */
  takeCredit(payer: string, atomic: bigint, nowMillis: number): boolean {
    const account = this.accounts.get(payer)
    if (account === undefined || account.recentUntilMillis <= nowMillis) return false
    const credit = smaller(account.recentAtomic, this.config.creditAtomic)
    if (credit === 0n || account.onCreditAtomic + atomic > credit) return false
    account.onCreditAtomic += atomic
    return true
  }

  returnCredit(payer: string, atomic: bigint): void {
    const account = this.accounts.get(payer)
    if (account !== undefined) account.onCreditAtomic = positive(account.onCreditAtomic - atomic)
  }

  /** Covers a call by what the payer has paid, to be given back; `false`: it is not enough. */
  takeCover(payer: string, atomic: bigint): boolean {
    const account = this.accounts.get(payer)
    if (account === undefined) return false
    if (account.coveredAtomic + account.lostAtomic + atomic > account.paidAtomic) return false
    account.coveredAtomic += atomic
    return true
  }

  returnCover(payer: string, atomic: bigint): void {
    const account = this.accounts.get(payer)
    if (account !== undefined) account.coveredAtomic = positive(account.coveredAtomic - atomic)
  }

  /** How much unsettled work the payer may have at a time. */
  maxExposure(payer: string, nowMillis: number): bigint {
    const account = this.accounts.get(payer)
    const { exposureAtomic, maxExposureAtomic } = this.config
    if (account === undefined || account.recentUntilMillis <= nowMillis) return exposureAtomic
    const recent =
      account.recentAtomic > account.sharedRecentAtomic ? account.recentAtomic : account.sharedRecentAtomic
    const grown = smaller(exposureAtomic + recent, maxExposureAtomic)
    return grown > exposureAtomic ? grown : exposureAtomic
  }

  /** Records what all processes together have seen the payer settle recently. */
  learnRecent(payer: string, settledAtomic: bigint, nowMillis: number): void {
    if (settledAtomic === 0n) return
    const account = this.open(payer)
    account.sharedRecentAtomic = settledAtomic
    account.recentUntilMillis = Math.max(account.recentUntilMillis, nowMillis + this.config.recentMillis)
  }

  /** A payment settled; `atomic` of it pays for work that was done, and is not refunded. */
  earn(payer: string, atomic: bigint, nowMillis: number): void {
    const account = this.open(payer)
    const isRecent = account.recentUntilMillis > nowMillis
    account.recentAtomic = (isRecent ? account.recentAtomic : 0n) + atomic
    if (!isRecent) account.sharedRecentAtomic = 0n
    account.recentUntilMillis = nowMillis + this.config.recentMillis
    const isToday = account.paidUntilMillis > nowMillis
    account.paidAtomic = (isToday ? account.paidAtomic : 0n) + atomic
    if (!isToday) account.lostAtomic = 0n
    account.paidUntilMillis = nowMillis + dayMillis
    account.knownUntilMillis = nowMillis + dayMillis
    // Moves the account to the end: the one that settled longest ago is evicted first.
    this.accounts.delete(payer)
    this.accounts.set(payer, account)
  }

  /** Work was done that is not paid for. */
  lose(payer: string, atomic: bigint): void {
    const account = this.accounts.get(payer)
    if (account !== undefined) account.lostAtomic += atomic
  }

  /** A payment did not settle, or it is not known whether: no more credit. */
  endCredit(payer: string): void {
    const account = this.accounts.get(payer)
    if (account === undefined) return
    account.recentAtomic = 0n
    account.sharedRecentAtomic = 0n
  }

  private open(payer: string): Account {
    const known = this.accounts.get(payer)
    if (known !== undefined) return known
    if (this.accounts.size >= maxPayers) {
      const [oldest] = this.accounts.keys()
      if (oldest !== undefined) this.accounts.delete(oldest)
    }
    const account: Account = {
      recentAtomic: 0n,
      recentUntilMillis: 0,
      sharedRecentAtomic: 0n,
      knownUntilMillis: 0,
      paidAtomic: 0n,
      paidUntilMillis: 0,
      lostAtomic: 0n,
      onCreditAtomic: 0n,
      coveredAtomic: 0n
    }
    this.accounts.set(payer, account)
    return account
  }
}

const positive = (atomic: bigint): bigint => (atomic > 0n ? atomic : 0n)
