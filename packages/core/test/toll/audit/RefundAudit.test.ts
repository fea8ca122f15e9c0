import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { getAddress } from "viem"
import { Charges, type RefundAttempt } from "../../../src/ports/Charges.ts"
import { chargesWithOne, key, paidRefundDue } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleAttempt, sampleCharge } from "../../../../testing/src/stores/records.ts"
import { checkRefunds } from "../../../src/toll/audit/RefundAudit.ts"
import { Chain, type ChainEvidence, type EvidenceHints } from "../../../src/toll/evidence/Chain.ts"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import { baseSepolia } from "./auditedChain.ts"

const mine = "0x00000000000000000000000000000000000000f1"
const theirs = "0x00000000000000000000000000000000000000f2"
const back = `0x${"ba".repeat(32)}`
const other = `0x${"0e".repeat(32)}`
const moved = (transaction: string): ChainEvidence => ({
  _tag: "Moved",
  transaction,
  logIndex: 1,
  atSeconds: 500,
  isFinal: true
})
const unused: ChainEvidence = { _tag: "NotMoved", chainTimeSeconds: 1 }

interface Given {
  /** The wallets that have recorded an attempt, one after the other. */
  readonly wallets: ReadonlyArray<string>
  /** What the chain shows of their nonces. */
  readonly shown: Readonly<Record<string, ChainEvidence>>
  readonly entered?: ReadonlyArray<string>
  readonly canRead?: boolean
  readonly network?: string
}

/** Checks the refund of one charge; returns the faults and what was looked up. */
const check = async ({ canRead = true, entered = [back], network, shown, wallets }: Given) => {
  const faults: Array<readonly [string, string]> = []
  const lookups: Array<readonly [Authorization, EvidenceHints | undefined]> = []
  const chain = {
    canRead: () => canRead,
    evidence: (_: unknown, authorization: Authorization, hints?: EvidenceHints) =>
      Effect.sync(() => {
        lookups.push([authorization, hints])
        return shown[authorization.from.toLowerCase()]!
      })
  } as unknown as Chain["Service"]
  const program = Effect.gen(function* () {
    const charges = yield* Charges
    yield* chargesWithOne("settled", network === undefined ? {} : { network }, { settlement: paidRefundDue })
    yield* charges.startRefund(key, { sinceMillis: 0, maxAtomic: "10000" }, 2_000)
    for (const [index, wallet] of wallets.entries())
      yield* charges.recordRefundAttempt(
        sampleAttempt({ sequence: index + 1, wallet, validBefore: sampleAttempt().validBefore - index })
      )
    const [first, ...further] = entered
    if (first !== undefined) yield* charges.recordRefund(key, first, 3_000)
    for (const transaction of further) yield* charges.recordFurtherRefund(key, transaction, 3_100)
    yield* checkRefunds({ fromMillis: 0, beforeMillis: 10_000 }, [baseSepolia], (own, fault) =>
      faults.push([own, fault])
    )
  })
  await Effect.runPromise(
    program.pipe(Effect.provideService(Chain, chain), Effect.provide(Charges.layerMemory))
  )
  return { faults, lookups }
}

const fault = [key, "its refund was paid in a transaction that the ledger doesn't have"]

describe("a refund of the ledger", () => {
  it("is one transaction, whatever wallets have recorded attempts", async () => {
    const { faults, lookups } = await check({
      wallets: [mine, theirs],
      shown: { [mine]: moved(back.toUpperCase().replace("0X", "0x")), [theirs]: unused }
    })
    expect(faults).toEqual([])
    const attempt: RefundAttempt = sampleAttempt()
    expect(lookups.map(([{ from }]) => from.toLowerCase())).toEqual([theirs, mine])
    expect(lookups[1]).toMatchObject([
      { to: getAddress(sampleCharge().payer), value: "10000", nonce: attempt.nonce },
      { sinceSeconds: attempt.notBefore, transaction: back }
    ])
  })

  it("that two wallets paid is a fault, unless both transactions are entered", async () => {
    const both = { wallets: [mine, theirs], shown: { [mine]: moved(back), [theirs]: moved(other) } }
    expect((await check(both)).faults).toEqual([fault])
    expect((await check({ ...both, entered: [back, other] })).faults).toEqual([])
  })

  it("that an operator sent is a fault only if the wallet paid it as well", async () => {
    const manual = { wallets: [mine], entered: ["0xmanual"] }
    expect((await check({ ...manual, shown: { [mine]: unused } })).faults).toEqual([])
    expect((await check({ ...manual, shown: { [mine]: moved(back) } })).faults).toEqual([fault])
  })

  it("is looked up once for each wallet, and only where it was sent and its chain can be read", async () => {
    const shown = { [mine]: unused }
    const { lookups } = await check({ wallets: [mine, mine], shown })
    expect(lookups).toMatchObject([[{ validBefore: String(sampleAttempt().validBefore) }, {}]])
    expect((await check({ wallets: [mine], shown, entered: [] })).lookups).toEqual([])
    expect((await check({ wallets: [mine], shown, canRead: false })).lookups).toEqual([])
    expect((await check({ wallets: [mine], shown, network: "eip155:424242" })).lookups).toEqual([])
  })

  it("is no fault for what its wallets do elsewhere, or strangers with its nonce", async () => {
    for (const evidence of [
      { _tag: "NotPaid", reason: "canceled" },
      { _tag: "NotPaid", reason: "used_otherwise" },
      { _tag: "Unavailable" },
      { _tag: "Confirming", transaction: other }
    ] satisfies ReadonlyArray<ChainEvidence>)
      expect((await check({ wallets: [mine], shown: { [mine]: evidence } })).faults).toEqual([])
  })
})
