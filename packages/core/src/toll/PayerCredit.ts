const maxPayers = 10_000
/** Most calls of one payer at a time that are worked on without a verification first. */
const maxCredit = 32

interface Account {
  credit: number
  used: number
  untilMillis: number
}

/**
 * Payers whose payments have settled here lately: for them the work begins without asking the facilitator first
 * whether they can pay, which saves every repeated caller one round trip of two. Settlement decides all the same,
 * and nothing is answered before it.
 *
 * It begins slowly, as a connection does: each payment that settles is worth one more call at a time on
 * credit, up to 32, for a minute; one that does not ends it. Work that a payer can have done for nothing is thereby
 * less than what they have paid for. Only for payers whose own signature was checked here. Bounded; of one process.
 */
export class PayerCredit {
  private readonly accounts = new Map<string, Account>()
  private readonly millis: number

  /** @param millis how long a settled payment is worth credit; 0: never */
  constructor(millis: number) {
    this.millis = millis
  }

  /** Takes one call on credit, to be given back; `false`: the payer has none left. */
  take(payer: string, nowMillis: number): boolean {
    const account = this.accounts.get(payer)
    if (account === undefined || account.untilMillis <= nowMillis || account.used >= account.credit)
      return false
    account.used++
    return true
  }

  giveBack(payer: string): void {
    const account = this.accounts.get(payer)
    if (account !== undefined && account.used > 0) account.used--
  }

  /** A payment of theirs has settled. */
  earn(payer: string, nowMillis: number): void {
    if (this.millis === 0) return
    const account = this.accounts.get(payer)
    const isLive = account !== undefined && account.untilMillis > nowMillis
    this.accounts.delete(payer)
    if (this.accounts.size >= maxPayers) {
      const [oldest] = this.accounts.keys()
      if (oldest !== undefined) this.accounts.delete(oldest)
    }
    this.accounts.set(payer, {
      credit: isLive ? Math.min(account.credit + 1, maxCredit) : 1,
      used: account?.used ?? 0,
      untilMillis: nowMillis + this.millis
    })
  }

  /** A payment of theirs did not settle, or it is not known whether. */
  lose(payer: string): void {
    this.accounts.delete(payer)
  }
}
