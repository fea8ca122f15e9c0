import { hasResponse } from "../../ports/chargeRules.ts"
import type { Charge } from "../../ports/Charges.ts"
import type { ChainEvidence } from "../evidence/Chain.ts"
import {
  closed,
  defer,
  deferUnknown,
  release,
  end,
  yieldLease,
  expired,
  giveUp,
  notPaid,
  ofAnotherRequest,
  pending,
  refused,
  rollBack,
  settleUnlessUnwanted,
  voidCharge
} from "./Plans.ts"
import type {
  ChainQuery,
  ChargeFacts,
  CompleteStep,
  Decision,
  ReconcilerPlan,
  LeaseStep
} from "./ChargeStep.ts"

/*
 * The plans that follow from the chain's evidence about a payment. Pure.
 */

type EvidenceOf<Tag extends ChainEvidence["_tag"]> = Extract<ChainEvidence, { _tag: Tag }>

const hasExpired = (facts: ChargeFacts, evidence: EvidenceOf<"NotMoved">): boolean =>
  evidence.chainTimeSeconds > facts.validBeforeSeconds + facts.finalitySeconds

/**
 * Ends a payment whose transfer was on the chain before its claim: it paid for something else, or its signature was
 * copied from there. It buys nothing here, and is not refunded from here.
 */
const usedElsewhere = refused(
  "payment_already_used",
  "this payment was made before it was presented here; sign a new one"
)

const complete = (
  { isFinal, logIndex, transaction }: EvidenceOf<"Moved">,
  refund: CompleteStep["refund"]
): CompleteStep => ({ _tag: "Complete", transaction, proof: { logIndex, isFinal }, refund })

/** After a `Void`. */
const completeWithoutLease = (...args: Parameters<typeof complete>): CompleteStep => ({
  ...complete(...args),
  leaseEnded: true
})

/** Whether an attempt moved the money of a charge. */
const afterProof = (facts: ChargeFacts, evidence: ChainEvidence): Decision<LeaseStep> => {
  const keepsExposure = !facts.workIsDue
  switch (evidence._tag) {
    case "Moved":
      // The payment can't move again. A stranger may have copied it, so it doesn't count against its payer.
      return evidence.precedesClaim === true
        ? voidCharge(usedElsewhere, { keepsExposure: false })
        : [complete(evidence, "none")]
    case "NotPaid":
      return voidCharge(notPaid(evidence), { keepsExposure })
    case "NotMoved":
      return hasExpired(facts, evidence) ? voidCharge(expired, { keepsExposure }) : "continue"
    case "Confirming":
      return deferUnknown("the transfer has too few confirmations yet")
    case "Unavailable":
      return "continue"
  }
}

/** Whether a voided payment moved after all. */
const afterWatch = (
  facts: ChargeFacts,
  { charge, sameRequest }: Extract<ChainQuery, { _tag: "Watch" }>,
  evidence: ChainEvidence
): Decision<LeaseStep> => {
  switch (evidence._tag) {
    case "Moved": {
      // The refund is due to the request that the payment was made for: its retry or the reconciler records it.
      if (!sameRequest) return defer(ofAnotherRequest)
      if (evidence.precedesClaim === true) return release(facts.by === "call" ? usedElsewhere : closed)
      const refund = charge.settlesFirst ? "none" : "due"
      // `charge` was read before the takeover. Of a claim, this plan has since written `voided`, which ended its lease.
      return [
        charge.state === "claimed" ? completeWithoutLease(evidence, refund) : complete(evidence, refund)
      ]
    }
    case "NotMoved":
      if (!hasExpired(facts, evidence)) return "continue"
      return release(facts.by === "call" ? expired : closed)
    case "NotPaid":
      return release(facts.by === "call" ? notPaid(evidence) : closed)
    case "Confirming":
    case "Unavailable":
      return defer(facts.by === "call" ? pending : closed)
  }
}

/** Whether the money of a claimed payment had moved before its refusal. */
const afterRefusalQuery = (facts: ChargeFacts, evidence: ChainEvidence): Decision<LeaseStep> => {
  switch (evidence._tag) {
    case "Moved":
      return evidence.precedesClaim === true
        ? [rollBack, end(usedElsewhere)]
        : [completeWithoutLease(evidence, facts.workIsDue ? "none" : "due")]
    case "NotMoved":
      return "continue"
    case "NotPaid":
      return giveUp(notPaid(evidence))
    case "Confirming":
    case "Unavailable":
      return giveUp(pending)
  }
}

/** Whether the chain still has the transfer that settled a charge. */
const afterFinality = (facts: ChargeFacts, charge: Charge, evidence: ChainEvidence): Decision<LeaseStep> => {
  // A refund was sent: nothing is left to record, unless another transfer moved the payment.
  if (charge.refund?._tag === "Sent" && evidence._tag !== "Moved") return "continue"
  switch (evidence._tag) {
    case "Moved": {
      if (charge.state !== "settled") return [complete(evidence, "sent")]
      const isSame =
        evidence.transaction.toLowerCase() === charge.receipt?.transaction.toLowerCase() &&
        evidence.logIndex === charge.transferLogIndex
      if (!isSame) return reopen([complete(evidence, charge.refund === undefined ? "none" : "due")])
      // A response that is still owed waits for its caller, who needs the lease.
      return evidence.isFinal ? [{ _tag: "Finalize" }, yieldLease, end(closed)] : "continue"
    }
    case "NotMoved":
      // A node whose latest block is older than the settlement has not seen the transfer yet.
      if (evidence.chainTimeSeconds * 1000 <= (charge.settledAtMillis ?? 0)) return "continue"
      // The chain usually includes the transfer again soon: the first check doesn't wait for the expiry.
      return reopen(
        hasResponse(charge) || charge.settlesFirst
          ? settleUnlessUnwanted(facts, "backoff")
          : defer(closed, "backoff")
      )
    case "NotPaid":
      return reopen(voidCharge(closed, { keepsExposure: true }))
    case "Confirming":
    case "Unavailable":
      return "continue"
  }
}

const reopen = (plan: ReconcilerPlan): ReconcilerPlan => [{ _tag: "Reopen" }, ...plan]

/** What follows the chain's evidence. */
export const afterSeeing = (
  facts: ChargeFacts,
  query: ChainQuery,
  evidence: ChainEvidence
): Decision<LeaseStep> => {
  switch (query._tag) {
    case "Proof":
      return afterProof(facts, evidence)
    case "Watch":
      return afterWatch(facts, query, evidence)
    case "Refusal":
      return afterRefusalQuery(facts, evidence)
    case "Finality":
      return afterFinality(facts, query.charge, evidence)
  }
}
