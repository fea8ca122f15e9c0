import { Effect } from "effect"
import { Charges } from "../ports/Charges.ts"
import { StorageMarks } from "../ports/StorageMarks.ts"
import { report } from "../runtime/events.ts"
import { type FalseReceipt, ReceiptAudit } from "../toll/audit/ReceiptAudit.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/** Between two reads of a network's chain. */
const everyMillis = 30_000

/** Reports a receipt that is false, and gives its facilitator no more payments. */
const tell = Effect.fnUntraced(function* (
  { withhold }: Facilitator["Service"],
  { charge, reason }: FalseReceipt
) {
  const { key, network, receipt, reportedBy } = charge
  const fields = { port: "facilitator", facilitator: reportedBy }
  yield* report(
    "Error",
    "receipt_false",
    "A facilitator reported a settlement, and the chain shows that it moved no money to you",
    { ...fields, chargeKey: key, network, transaction: receipt?.transaction, reason }
  )
  if (reportedBy === undefined || withhold?.(reportedBy) !== true) return
  yield* report(
    "Error",
    "facilitator_withheld",
    "A facilitator reported a settlement that moved no money: it gets no more payments until this process is started again",
    fields
  )
})

/**
 * Checks the receipts of facilitators against the chains, for as long as it runs. Not those of a facilitator for tests,
 * which moves no money.
 */
export const watchReceipts = Effect.fnUntraced(function* ({
  networks
}: Pick<ConfiguredSettings, "networks">) {
  const chain = yield* Chain
  const { evidence, paidWithin } = chain
  const facilitator = yield* Facilitator
  if (paidWithin === undefined) return Effect.never
  const services = {
    charges: yield* Charges,
    chain: { evidence, paidWithin },
    marks: yield* StorageMarks,
    onFalse: (found: FalseReceipt) => tell(facilitator, found)
  }
  const audits = networks
    .filter(({ caip2 }) => chain.canRead(caip2) && facilitator.movesNoMoney?.(caip2) !== true)
    .map((network) => new ReceiptAudit(services, network))
  if (audits.length === 0) return Effect.never
  const tick = Effect.forEach(audits, (audit) => audit.tick, { concurrency: "unbounded", discard: true })
  return Effect.forever(Effect.delay(tick, everyMillis))
})
