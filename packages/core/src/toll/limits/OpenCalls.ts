import { clientGroupOf, type PayingCall } from "../attempt/PayingCall.ts"

/** An open payment: the amount that its first call counted, and the number of its calls. */
interface OpenPayment {
  readonly atomic: bigint
  calls: number
}

/** Open payments of a payer and client by key, and their amount. */
interface Open {
  readonly payments: Map<string, OpenPayment>
  atomic: bigint
}

/** Limits of a payer and client: open payments, and their amount. The amount doesn't limit their only payment. */
export interface OpenLimits {
  readonly maxPayments: number
  readonly maxAtomic: bigint
}

/** Names what is counted together: a payer at a client address, and payments that settle first apart from others. */
export const countedAs = (call: PayingCall): string =>
  `${call.request.settlesFirst} ${call.payer} ${clientGroupOf(call)}`

/**
 * Counts what each payer has open in this process, from before the verification until the call ends: a facilitator may
 * reserve money for each payment that it verifies.
 *
 * At each client address by itself: anybody can present payments that the payer has made elsewhere, copied from the
 * chain. Unproven ones don't count: they may be forgeries in the payer's name.
 */
export class OpenCalls {
  private readonly open = new Map<string, Open>()

  /** Counts a call; `false`: it has to wait for another payment of its payer. */
  enter(call: PayingCall, atomic: bigint, limits: OpenLimits): boolean {
    const { releases, learned, lease } = call
    // A call may verify again, after another call of its payment has failed: it counts once.
    if (!learned.isProven || releases.holds("openCall")) return true
    const name = countedAs(call)
    const open: Open = this.open.get(name) ?? { payments: new Map(), atomic: 0n }
    const payment = open.payments.get(lease.key) ?? { atomic, calls: 0 }
    // A copy of an open payment adds nothing, and that payment's call may wait for it.
    if (payment.calls === 0) {
      if (open.payments.size >= limits.maxPayments) return false
      if (atomic > 0n && open.atomic > 0n && open.atomic + atomic > limits.maxAtomic) return false
      open.atomic += atomic
    }
    payment.calls++
    open.payments.set(lease.key, payment)
    this.open.set(name, open)
    releases.hold("openCall", () => {
      payment.calls--
      if (payment.calls > 0) return
      open.payments.delete(lease.key)
      open.atomic -= payment.atomic
      if (open.payments.size === 0) this.open.delete(name)
    })
    return true
  }

  /** Payers with an open payment, for each client and kind: all entries in memory. */
  get size(): number {
    return this.open.size
  }
}
