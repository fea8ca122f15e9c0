/*
 * Gas money of the relayer that verified payments are about to use.
 */

interface Reservation {
  readonly costWei: bigint
  readonly expiresAtMillis: number
}

/** Reserves gas money for payments from their verification to their record, for a limited time. */
export class GasReservations {
  private readonly lifetimeMillis: number
  /** By authorization, oldest first. */
  private readonly all = new Map<string, Reservation>()
  private totalWei = 0n

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

  /** Reserves an amount for an authorization, instead of what it had. */
  reserve(key: string, costWei: bigint, nowMillis: number): void {
    this.release(key)
    this.all.set(key, { costWei, expiresAtMillis: nowMillis + this.lifetimeMillis })
    this.totalWei += costWei
  }

  release(key: string): void {
    this.totalWei -= this.all.get(key)?.costWei ?? 0n
    this.all.delete(key)
  }
}
