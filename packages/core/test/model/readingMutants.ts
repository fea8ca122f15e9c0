import type { ChargeEvent, TakenEvent } from "../../src/toll/machine/ChargeStep.ts"
import { type EventOf, type Mutant, readsEvent, readsFacts } from "./Mutant.ts"

/*
 * Mutants that read a fact or an event otherwise.
 */

const evidence = (event: EventOf<"Seen">, tag: EventOf<"Seen">["evidence"]["_tag"]): boolean =>
  event.evidence._tag === tag
const unavailable: ChargeEvent = { _tag: "Seen", evidence: { _tag: "Unavailable" } }
const notMoved = (chainTimeSeconds: number): ChargeEvent => ({
  _tag: "Seen",
  evidence: { _tag: "NotMoved", chainTimeSeconds }
})
/** A time at which nothing can move any more. */
const muchLater = 1_000

const facts: ReadonlyArray<Mutant> = [
  {
    name: "the facilitator's word is enough",
    noticedBy: "lies, lag",
    reads: readsFacts({ proofRequired: false })
  },
  {
    name: "a chain that can be read is not",
    noticedBy: "one call",
    reads: readsFacts({ canReadChain: false })
  },
  {
    name: "no work is due after a settlement",
    noticedBy: "one call, settles first",
    reads: readsFacts({ workIsDue: false })
  },
  {
    name: "work is due after every settlement",
    noticedBy: "one call",
    reads: readsFacts({ workIsDue: true })
  },
  { name: "the chain is final at once", noticedBy: "one call", reads: readsFacts({ finalitySeconds: 0 }) },
  {
    name: "payments expire early",
    noticedBy: "one call, settles first",
    reads: readsFacts({ validBeforeSeconds: 40 })
  },
  { name: "payments never expire", noticedBy: "one call", reads: readsFacts({ validBeforeSeconds: 10_000 }) },
  {
    name: "the reconciler acts as a call",
    noticedBy: "one call",
    reads: (given) => ({ ...given, facts: { ...given.facts, by: "call" } })
  }
]

const events: ReadonlyArray<Mutant> = [
  {
    name: "forgets the lease at Record",
    noticedBy: "one call, blind",
    reads: readsEvent("Advanced", (event) => ({ ...event, advanced: true }))
  },
  {
    name: "forgets the lease at Void",
    survives:
      "the store compares the lease itself and voids nothing; the next look at the charge tells the truth",
    reads: readsEvent("Voided", (event) => ({ ...event, voided: true }))
  },
  {
    name: "forgets the lease at Deliver",
    noticedBy: "one call, settles first",
    reads: readsEvent("Delivered", (event) => ({ ...event, delivered: true }))
  },
  {
    name: "forgets the lease at Reopen",
    survives:
      "the store compares the lease itself and reopens nothing; `complete` then finds the charge settled",
    reads: readsEvent("Reopened", (event) => ({ ...event, reopened: true }))
  },
  {
    name: "ignores that a reopened charge was refunded",
    survives:
      "the store settles a charge whose refund was sent only as refunded, and the next takeover reads that",
    reads: readsEvent("Reopened", (event) => ({ ...event, isRefunded: false }))
  },
  {
    name: "ignores that a refund is due",
    noticedBy: "lies, lag",
    reads: readsEvent("Completed", (event) => ({ ...event, refundDue: false }))
  },
  {
    name: "ignores that a response is owed",
    noticedBy: "calm, settles first",
    reads: readsEvent("Completed", ({ _tag, receipt, refundDue }) => ({ _tag, receipt, refundDue }))
  },
  {
    name: "every request is the same",
    noticedBy: "another request, settles first",
    reads: readsEvent("Found", (event) => ({
      ...event,
      found: event.found && {
        ...event.found,
        presented: { ...event.found.presented, sameRequest: true }
      }
    }))
  },
  {
    name: "every request is the same at a takeover",
    noticedBy: "another request",
    reads: readsEvent("Taken", (event) => ({ ...event, sameRequest: true }))
  },
  {
    name: "every signature is the same",
    noticedBy: "a forged copy",
    reads: readsEvent("Found", (event) => ({
      ...event,
      found: event.found && {
        ...event.found,
        presented: { ...event.found.presented, payloadDigest: event.found.charge.payloadDigest }
      }
    }))
  },
  {
    name: "a taken charge is never owed a response",
    noticedBy: "one call, settles first",
    reads: readsEvent("Taken", (event) => withCharge(event, { responseOwedUntilMillis: undefined }))
  },
  {
    name: "a taken charge never awaits finality",
    noticedBy: "one call",
    reads: readsEvent("Taken", (event) => withCharge(event, { awaitsFinality: false }))
  },
  {
    name: "a taken charge has no pending effect",
    noticedBy: "one call, proof, order",
    reads: readsEvent("Taken", (event) => withCharge(event, { effectPending: false }))
  },
  {
    name: "a taken voided charge counts as claimed",
    noticedBy: "one call, proof, order",
    reads: readsEvent("Taken", (event) =>
      event.charge.state === "voided" ? withCharge(event, { state: "claimed" }) : event
    )
  },
  {
    name: "a rejection after an unknown outcome is final",
    noticedBy: "one call, blind",
    reads: (given) =>
      given.plan[0]._tag === "Settle" ? { ...given, plan: [{ _tag: "Settle", first: true }] } : given
  },
  {
    name: "an unknown outcome is a rejection",
    noticedBy: "one call, blind",
    reads: readsEvent("Settled", (event) =>
      event.settlement._tag === "Unknown"
        ? { _tag: "Settled", settlement: { _tag: "Rejected", reason: "unknown" } }
        : event
    )
  },
  {
    name: "a chain that can't be read shows that nothing moved",
    noticedBy: "one call",
    reads: readsEvent("Seen", (event) => (evidence(event, "Unavailable") ? notMoved(muchLater) : event))
  },
  {
    name: "a node that lags is believed",
    noticedBy: "one call",
    reads: readsEvent("Seen", (event) => (evidence(event, "NotMoved") ? notMoved(muchLater) : event))
  },
  {
    name: "a transfer that moved is overlooked",
    noticedBy: "one call",
    reads: readsEvent("Seen", (event) => (evidence(event, "Moved") ? notMoved(muchLater) : event))
  },
  {
    name: "a transfer that is confirming hasn't moved",
    noticedBy: "one call",
    reads: readsEvent("Seen", (event) => (evidence(event, "Confirming") ? notMoved(muchLater) : event))
  },
  {
    name: "a transfer that was canceled can't be read",
    noticedBy: "payer cancels or sends",
    reads: readsEvent("Seen", (event) => (evidence(event, "NotPaid") ? unavailable : event))
  },
  {
    name: "every transfer is final",
    noticedBy: "reorganization",
    reads: readsEvent("Seen", (event) =>
      event.evidence._tag === "Moved" ? { ...event, evidence: { ...event.evidence, isFinal: true } } : event
    )
  },
  {
    name: "a transfer before the claim pays",
    noticedBy: "payer cancels or sends",
    reads: readsEvent("Seen", ({ evidence: seen }) => {
      if (seen._tag !== "Moved") return { _tag: "Seen", evidence: seen }
      const { _tag, atSeconds, isFinal, logIndex, transaction } = seen
      return { _tag: "Seen", evidence: { _tag, atSeconds, isFinal, logIndex, transaction } }
    })
  },
  {
    name: "an invalid payment is valid",
    noticedBy: "one call",
    reads: readsEvent("Verified", () => ({
      _tag: "Verified",
      verification: { _tag: "Valid", payer: undefined }
    }))
  }
]

const withCharge = (event: TakenEvent, changes: Partial<TakenEvent["charge"]>): TakenEvent => ({
  ...event,
  charge: { ...event.charge, ...changes }
})

export const readingMutants: ReadonlyArray<Mutant> = [...facts, ...events]
