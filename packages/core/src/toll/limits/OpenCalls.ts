import type { PaymentAttempt } from "../machine/PaymentAttempt.ts"

/** A payer's open payments, each with its number of calls, and their amount. */
interface Open {
  readonly payments: Map<string, number>
  atomic: bigint
}

/** Limits of one payer: open payments, and their amount. The amount doesn't limit a payer's only payment. */
export interface OpenLimits {
  readonly maxPayments: number
  readonly maxAtomic: bigint
}

/**
 * Counts what each payer has open in this process, from before the verification until the call ends: a facilitator may
 * reserve money for each payment that it verifies.
 *
 * Payments that settle first count apart from others. Unproven ones don't count: they may be forgeries in the payer's
 * name.
 */
export class OpenCalls {
  private readonly open = new Map<string, Open>()

  /** Counts a call; `false`: it has to wait for another payment of its payer. */
  enter({ lease, payer, request, ticket }: PaymentAttempt, atomic: bigint, limits: OpenLimits): boolean {
    // A call may verify again, after another call of its payment has failed: it counts once.
    if (!ticket.isProven || ticket.isOpen) return true
    const name = `${request.settlesFirst} ${payer}`
    const open: Open = this.open.get(name) ?? { payments: new Map(), atomic: 0n }
    const calls = open.payments.get(lease.key) ?? 0
    // A copy of an open payment adds nothing, and that payment's call may wait for it.
    if (calls === 0) {
      if (open.payments.size >= limits.maxPayments) return false
      if (atomic > 0n && open.atomic > 0n && open.atomic + atomic > limits.maxAtomic) return false
      open.atomic += atomic
    }
    open.payments.set(lease.key, calls + 1)
    this.open.set(name, open)
    ticket.open(() => this.leave(name, lease.key, atomic))
    return true
  }

  private leave(name: string, key: string, atomic: bigint): void {
    const open = this.open.get(name)
    const calls = open?.payments.get(key)
    if (open === undefined || calls === undefined) return
    if (calls > 1) {
      open.payments.set(key, calls - 1)
      return
    }
    open.payments.delete(key)
    open.atomic -= atomic
    if (open.payments.size === 0) this.open.delete(name)
  }
}
