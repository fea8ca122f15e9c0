import { Effect, Layer, Logger } from "effect"
import type { PaidTo } from "../../../src/toll/audit/NetworkAudit.ts"
import { TestClock } from "effect/testing"
import { StoreError } from "../../../src/domain/Errors.ts"
import { findNetwork } from "../../../src/domain/Network.ts"
import { eventLogger } from "../../../src/runtime/events.ts"
import type { TillEvent } from "../../../src/runtime/events.ts"
import type { RefundWallet } from "../../../src/ports/RefundWallet.ts"
import type { SolanaRefunds } from "../../../src/ports/SolanaRefunds.ts"
import { makeRefundGuard, type RefundGuard } from "../../../src/refunds/RefundGuard.ts"
import { Refunds } from "../../../src/refunds/Refunds.ts"
import { type Charge, Charges } from "../../../src/ports/Charges.ts"
import { sampleResponse, sampleCharge, sampleReceipt } from "../../../../testing/src/stores/records.ts"
import { Chain, type ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import { Facilitator, type Settlement } from "../../../src/toll/facilitator/Facilitator.ts"
import { type RecordedCall, scripted } from "../../toll/machine/settlingScene.ts"

/*
 * Refunds and their guard over a store, a chain, a facilitator and a wallet that the test writes.
 */

export const nowMillis = 1_800_000_000_000
export const network = findNetwork("base-sepolia")!
export const walletAddress = "0x00000000000000000000000000000000000000F1"
export const payer = "0x857b06519e91e3a54538791bdbb0e22373e36b66"
export const signature = "0x51"
export const maxAtomic = "5000000"

export const keyOf = (name: string): string => `${network.caip2}:0x036c:${payer}:${name}`

export const settled: Settlement = { _tag: "Settled", transaction: "0xback", payer: walletAddress }
export const rejected: Settlement = { _tag: "Rejected", reason: "insufficient_funds" }
export const unknown: Settlement = { _tag: "Unknown", reason: "timeout", transaction: undefined }

export const storeError = new StoreError({ operation: "charges.stopRefunds", cause: 0 })

/** A settled charge that is owed back. */
export const owed = (name = "0x01", changes: Partial<Charge> = {}): Charge => ({
  ...sampleCharge({
    key: keyOf(name),
    network: network.caip2,
    asset: network.asset,
    payer,
    validBeforeSeconds: 1_000
  }),
  state: "settled",
  leaseOwner: "",
  leaseUntilMillis: 0,
  attempts: 0,
  checkAfterMillis: 0,
  response: sampleResponse(),
  responseExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  transferLogIndex: 3,
  reportedBy: undefined,
  awaitsFinality: false,
  refusedDigest: "",
  reopenings: 0,
  responseOwedUntilMillis: undefined,
  receipt: sampleReceipt(),
  settledAtMillis: 450_999,
  refund: { _tag: "Due", startedAtMillis: undefined },
  ...changes
})

export const moved = (isFinal = true): ChainEvidence => ({
  _tag: "Moved",
  transaction: "0xback",
  logIndex: 1,
  atSeconds: 500,
  isFinal
})
export const notMoved: ChainEvidence = { _tag: "NotMoved", chainTimeSeconds: 1 }
export const proven: ChainEvidence = {
  _tag: "Moved",
  transaction: sampleReceipt().transaction,
  logIndex: 3,
  atSeconds: 400,
  isFinal: true
}

export interface Script {
  /** Those of the settings; default none. */
  readonly networks?: ReadonlyArray<PaidTo>
  readonly charges?: Partial<Charges["Service"]>
  /** Evidence of the chain, one after the other; the last one stays. None: the chain can't be read. */
  readonly evidence?: ReadonlyArray<ChainEvidence>
  readonly settlements?: ReadonlyArray<Settlement>
  readonly sign?: RefundWallet["signTypedData"]
  readonly hasWallet?: boolean
  readonly solana?: SolanaRefunds
  /** Balance of the wallet in atomic units; default: it can't be read. */
  readonly balance?: bigint
}

export interface Scene {
  readonly refunds: Refunds["Service"]
  readonly guard: RefundGuard
  readonly calls: ReadonlyArray<RecordedCall>
  readonly events: ReadonlyArray<TillEvent>
  /** The inputs of each call of one verb. */
  readonly of: (verb: string) => ReadonlyArray<ReadonlyArray<unknown>>
}

const next = <A>(values: Array<A>): A => (values.length > 1 ? values.shift()! : values[0]!)

export const play = <A, E>(
  script: Script,
  test: (scene: Scene) => Effect.Effect<A, E, Charges>
): Promise<A> => {
  const calls: Array<RecordedCall> = []
  const events: Array<TillEvent> = []
  const evidence = [...(script.evidence ?? [])]
  const settlements = [...(script.settlements ?? [])]
  const charges = scripted<Charges["Service"]>(
    {
      refundStop: () => Effect.succeed(undefined),
      startRefund: () => Effect.succeed({ _tag: "Started" }),
      recordRefund: () => Effect.succeed(true),
      refundAttempts: () => Effect.succeed([]),
      recordRefundAttempt: () => Effect.succeed(true),
      endRefundAttempt: () => Effect.succeed(true),
      list: () => Effect.succeed([]),
      listSettled: () => Effect.succeed([]),
      entries: () => Effect.succeed([]),
      ...script.charges
    },
    calls
  )
  const chain = {
    ...scripted<Chain["Service"]>({}, calls),
    canRead: () => script.evidence !== undefined,
    balanceOf: () => Effect.succeed(script.balance),
    evidence: (...given: ReadonlyArray<unknown>) =>
      Effect.sync(() => {
        calls.push(["evidence", ...given])
        return next(evidence)
      })
  } as Chain["Service"]
  const facilitator = scripted<Facilitator["Service"]>(
    { settle: () => Effect.sync(() => next(settlements)) },
    calls
  )
  const wallet: RefundWallet = {
    address: walletAddress.toLowerCase() as RefundWallet["address"],
    signTypedData: async (data) => {
      calls.push(["sign", data])
      return script.sign === undefined ? signature : script.sign(data)
    }
  }
  const options = { networks: script.networks ?? [], perPayerPerHour: BigInt(maxAtomic) }
  const program = Effect.gen(function* () {
    yield* TestClock.setTime(nowMillis)
    const refunds = yield* Refunds
    const guard = yield* makeRefundGuard(options)
    const of = (verb: string) => calls.filter(([name]) => name === verb).map(([, ...given]) => given)
    return yield* test({ refunds, guard, calls, events, of })
  })
  return Effect.runPromise(
    program.pipe(
      Effect.provide(
        Refunds.layer({
          ...options,
          wallet: script.hasWallet === false ? undefined : wallet,
          solana: script.solana
        })
      ),
      Effect.provide(
        Layer.mergeAll(
          Layer.succeed(Charges, charges),
          Layer.succeed(Chain, chain),
          Layer.succeed(Facilitator, facilitator)
        )
      ),
      Effect.provide(Logger.layer([eventLogger((event) => events.push(event))])),
      Effect.provide(TestClock.layer())
    )
  )
}
