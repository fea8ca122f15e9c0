import { Effect } from "effect"
import { Charges } from "../ports/Charges.ts"
import { type Marks, StorageMarks } from "../ports/StorageMarks.ts"
import { currentMillis } from "../runtime/currentMillis.ts"
import { report } from "../runtime/events.ts"
import { type FalseReceipt, ReceiptAudit } from "../toll/audit/ReceiptAudit.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/** Between two reads of a network's chain. */
const everyMillis = 30_000

/** The names of a facilitator's marks begin so; the rest is its address, and the mark's value when it was first used. */
const markPrefix = (name: string): string => `facilitator ${name} `

/**
 * Whether a receipt is of a facilitator that had the name before the one at `address`: it was recorded before this one was
 * first used, and there was another. Pure.
 */
export const isOfPredecessor = (
  name: string,
  address: string | undefined,
  settledAtMillis: number,
  marks: ReadonlyMap<string, string>
): boolean => {
  const prefix = markPrefix(name)
  const sinceMillis = Number(marks.get(prefix + address))
  return (
    settledAtMillis < sinceMillis &&
    [...marks].some(([mark, value]) => mark.startsWith(prefix) && Number(value) < sinceMillis)
  )
}

const none: ReadonlyMap<string, string> = new Map()

/** Remembers since when facilitators are used at their addresses. */
const markAddresses = Effect.fnUntraced(function* ({ addresses = none }: Facilitator["Service"]) {
  const marks = yield* StorageMarks
  const nowMillis = (yield* currentMillis)()
  for (const [name, address] of addresses)
    yield* marks?.add(markPrefix(name) + address, String(nowMillis)) ?? Effect.void
})

/** Reports a receipt that is false, and gives its facilitator no more payments. */
const tell = Effect.fnUntraced(function* (
  { addresses, withhold }: Facilitator["Service"],
  { charge, reason }: FalseReceipt,
  marks: Marks | undefined
) {
  const { key, network, receipt, reportedBy } = charge
  const fields = { port: "facilitator", facilitator: reportedBy }
  yield* report(
    "Error",
    "receipt_false",
    "A facilitator reported a settlement, and the chain shows that it moved no money to you",
    { ...fields, chargeKey: key, network, transaction: receipt?.transaction, reason }
  )
  if (reportedBy === undefined) return
  const known = marks === undefined ? none : yield* Effect.orElseSucceed(marks.all, () => none)
  if (isOfPredecessor(reportedBy, addresses?.get(reportedBy), charge.settledAtMillis, known)) return
  if (withhold?.(reportedBy) !== true) return
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
  const marks = yield* StorageMarks
  yield* markAddresses(facilitator)
  const services = {
    charges: yield* Charges,
    chain: { evidence, paidWithin },
    marks,
    onFalse: (found: FalseReceipt) => tell(facilitator, found, marks)
  }
  const audits = networks
    .filter(({ caip2 }) => chain.canRead(caip2) && facilitator.movesNoMoney?.(caip2) !== true)
    .map((network) => new ReceiptAudit(services, network))
  if (audits.length === 0) return Effect.never
  const tick = Effect.forEach(audits, (audit) => audit.tick, { concurrency: "unbounded", discard: true })
  return Effect.forever(Effect.delay(tick, everyMillis))
})
