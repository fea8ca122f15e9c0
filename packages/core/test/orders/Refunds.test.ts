import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { TillEvent } from "../../src/runtime/events.ts"
import { eventLogger } from "../../src/runtime/events.ts"
import { StoreError } from "../../src/domain/Errors.ts"
import { findNetwork } from "../../src/domain/Network.ts"
import { refundNonce } from "../../src/orders/RefundAuthorization.ts"
import { Refunds } from "../../src/orders/Refunds.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { sampleResponse, sampleCharge } from "../../src/testing/stores/records.ts"
import { Chain, type ChainEvidence, type EvidenceHints } from "../../src/toll/evidence/Chain.ts"
import { Facilitator, type FacilitatorRequest } from "../../src/toll/facilitator/Facilitator.ts"

/*
 * Refunds over a chain that the test writes: what the guard lets through, and what stops all of them.
 */

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const network = { ...findNetwork("base-sepolia")!, payTo }
const walletAddress = "0x00000000000000000000000000000000000000F1"
const payer = "0x00000000000000000000000000000000000000aa"
const start = Date.UTC(2026, 10, 21)
const minute = 60_000
const hour = 60 * minute

const hexOf = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`
const keyOf = (number: number): string => `${network.caip2}:0xusdc:${payer}:${hexOf(number)}`
const paymentOf = (number: number): string => hexOf(1_000 + number)

const finalProof = (transaction: string): ChainEvidence => ({
  _tag: "Moved",
  transaction,
  logIndex: 1,
  atSeconds: start / 1000,
  isFinal: true
})

/** Services of one process after another, over one store and one chain. */
interface Scene {
  readonly charges: Charges["Service"]
  readonly refunds: Refunds["Service"]
  /** Evidence by nonce: payments are proven unless the test says otherwise. */
  readonly evidence: Map<string, ChainEvidence>
  readonly events: ReadonlyArray<TillEvent>
  /** Nonces of the refunds that were submitted, in order; each as often as it was. */
  readonly sent: ReadonlyArray<string>
  /** The chain was asked about these nonces, with these hints. */
  readonly asked: ReadonlyArray<readonly [nonce: string, hints: EvidenceHints | undefined]>
  readonly world: World
  /** Another process: `Refunds` with a memory of its own, over a store that may differ. */
  readonly another: (changes?: Partial<Charges["Service"]>) => Effect.Effect<Refunds["Service"]>
}

/** What the test changes while it runs. */
interface World {
  canRead: boolean
  /** Payments whose transfer the chain doesn't show in a list of transfers. */
  readonly hidden: Set<number>
  /** Evidence of refunds that were submitted. */
  refundProof: ChainEvidence | undefined
  /** Times that its transfers were read. */
  readings: number
  /** A transfer that no payment made. */
  hasForeign: boolean
}

const play = <A>(
  test: (scene: Scene) => Effect.Effect<A, unknown>,
  options: { readonly perPayerPerHourAtomic?: bigint } = {}
): Promise<A> => {
  const evidence = new Map<string, ChainEvidence>()
  const events: Array<TillEvent> = []
  const sent: Array<string> = []
  const asked: Array<readonly [string, EvidenceHints | undefined]> = []
  const world: World = {
    canRead: true,
    hidden: new Set(),
    refundProof: undefined,
    readings: 0,
    hasForeign: false
  }
  const payments = new Map<string, number>()
  const payers = new Map<string, string>()
  const chain: Chain["Service"] = {
    canRead: () => world.canRead,
    evidence: (_, { nonce }, hints) =>
      Effect.sync(() => {
        asked.push([nonce, hints])
        const known = evidence.get(nonce)
        if (known !== undefined) return known
        const number = payments.get(nonce)
        if (number !== undefined) return finalProof(paymentOf(number))
        return sent.includes(nonce)
          ? (world.refundProof ?? finalProof(`0xback${sent.indexOf(nonce)}`))
          : { _tag: "NotMoved", chainTimeSeconds: start / 1000 }
      }),
    usedNonces: () => Effect.succeed(undefined),
    balanceOf: () => Effect.succeed(undefined),
    acceptsSignature: () => Effect.succeed(undefined),
    transfersTo: (_, __, { beforeSeconds, fromSeconds }) =>
      Effect.map(Effect.yieldNow, () => {
        world.readings++
        const isInWindow = fromSeconds <= start / 1000 && start / 1000 < beforeSeconds
        return {
          fromBlock: 0n,
          toBlock: 0n,
          transfers: Array.from(payments)
            .filter(([, number]) => isInWindow && !world.hidden.has(number))
            .map(([nonce, number]) => ({
              transaction: paymentOf(number),
              logIndex: 1,
              from: payers.get(nonce)!,
              valueAtomic: "10"
            }))
            .concat(
              isInWindow && world.hasForeign
                ? [{ transaction: hexOf(9_999), logIndex: 1, from: payer, valueAtomic: "7" }]
                : []
            )
        }
      })
  }
  const facilitator: Facilitator["Service"] = {
    verify: () => Effect.die("refunds are not verified"),
    settle: ({ paymentPayload }: FacilitatorRequest) =>
      Effect.sync(() => {
        const { nonce } = (
          paymentPayload as { readonly payload: { readonly authorization: { readonly nonce: string } } }
        ).payload.authorization
        sent.push(nonce)
        return { _tag: "Settled", transaction: `0xback${sent.indexOf(nonce)}`, payer: walletAddress }
      }),
    supported: Effect.succeed([])
  }
  const process = Layer.fresh(
    Refunds.layer({
      wallet: { address: walletAddress, signTypedData: async () => "0x00" },
      networks: [network],
      perPayerPerHourAtomic: options.perPayerPerHourAtomic ?? 1_000n
    })
  )
  const program = Effect.gen(function* () {
    yield* TestClock.setTime(start + hour)
    const charges = yield* Charges
    const another: Scene["another"] = (changes = {}) =>
      Effect.provide(Refunds, process).pipe(
        Effect.provideService(Charges, { ...charges, ...changes }),
        Effect.provideService(Chain, chain),
        Effect.provideService(Facilitator, facilitator)
      )
    const tracked = Charges.of({
      ...charges,
      complete: (key, settlement, nowMillis) => {
        const nonce = key.slice(key.lastIndexOf(":") + 1)
        payments.set(nonce, Number(nonce))
        payers.set(nonce, settlement.receipt.payer!)
        return charges.complete(key, settlement, nowMillis)
      }
    })
    const refunds = yield* another()
    return yield* test({ charges: tracked, refunds, evidence, events, sent, asked, world, another })
  })
  return Effect.runPromise(
    program.pipe(
      Effect.provide(Charges.layerMemory),
      Effect.provide(Logger.layer([eventLogger((event) => events.push(event))])),
      Effect.provide(TestClock.layer())
    ) as Effect.Effect<A>
  )
}

/** A payment of 10 units that is owed back. */
const owe = Effect.fnUntraced(function* (
  charges: Charges["Service"],
  number: number,
  changes: { readonly payer?: string; readonly transferLogIndex?: number | undefined } = {}
) {
  const key = keyOf(number)
  const charge = sampleCharge({
    key,
    network: network.caip2,
    asset: network.asset,
    payer: changes.payer ?? payer,
    payTo,
    amountAtomic: "10",
    validBeforeSeconds: start / 1000 + 120,
    createdAtMillis: start + number
  })
  yield* charges.claim(charge, { owner: "me", untilMillis: start + hour }, start, {
    maxUnsettled: 1_000,
    maxExposureAtomic: "1000000"
  })
  yield* charges.advance(key, "me", { response: sampleResponse(), subject: undefined })
  yield* charges.complete(
    key,
    {
      receipt: { success: true, transaction: paymentOf(number), network: network.caip2, payer: charge.payer },
      transferLogIndex: "transferLogIndex" in changes ? changes.transferLogIndex : 1,
      refundDue: true,
      finalAfterMillis: undefined,
      responseOwedUntilMillis: undefined
    },
    start
  )
  return key
})

const messagesOf = ({ events }: Scene): ReadonlyArray<string> => events.map(({ message }) => message)
const stoppedMessage = "Refunds are stopped until an operator resumes them"
const stopOf = ({ charges }: Scene) => Effect.map(charges.refundStop(), (stop) => stop?.reason)

describe("a refund", () => {
  it("of a payment that the chain shows is sent once, and recorded", () =>
    play((scene) =>
      Effect.gen(function* () {
        const key = yield* owe(scene.charges, 1)
        yield* scene.refunds.sweep
        yield* scene.refunds.sweep
        yield* (yield* scene.another()).sweep
        expect(scene.sent).toEqual([refundNonce(key)])
        expect((yield* scene.charges.find(key))?.refund).toEqual({ _tag: "Sent", transaction: "0xback0" })
        expect(scene.asked).toEqual([
          [refundNonce(key), { sinceSeconds: start / 1000 }],
          [hexOf(1), { transaction: paymentOf(1) }],
          [refundNonce(key), { sinceSeconds: start / 1000, transaction: "0xback0" }]
        ])
        expect(yield* stopOf(scene)).toBeUndefined()
      })
    ))

  it("waits until its payment is final", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        scene.evidence.set(hexOf(1), { ...finalProof(paymentOf(1)), isFinal: false } as ChainEvidence)
        yield* scene.refunds.sweep
        expect(scene.sent).toEqual([])
        scene.evidence.delete(hexOf(1))
        yield* TestClock.adjust(6_000)
        yield* scene.refunds.sweep
        expect(scene.sent).toHaveLength(1)
        expect(messagesOf(scene)).toEqual([])
      })
    ))

  it("is recorded once its own transfer is final, and sent anew where a reorganization undid it", () =>
    play((scene) =>
      Effect.gen(function* () {
        const key = yield* owe(scene.charges, 1)
        const refund = Effect.map(scene.charges.find(key), (charge) => charge?.refund?._tag)
        scene.world.refundProof = { ...finalProof("0xback0"), isFinal: false } as ChainEvidence
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* refund]).toEqual([1, "Due"])
        scene.world.refundProof = { _tag: "NotMoved", chainTimeSeconds: start / 1000 }
        yield* TestClock.adjust(minute)
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* refund]).toEqual([2, "Due"])
        scene.world.refundProof = undefined
        yield* TestClock.adjust(minute)
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* refund]).toEqual([2, "Sent"])
      })
    ))

  it.each<ChainEvidence>([
    { _tag: "Confirming", transaction: "0xback0" },
    { _tag: "Unavailable" },
    { _tag: "NotPaid", reason: "canceled" }
  ])("is not sent again while its own outcome is $_tag", (proof) =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        scene.world.refundProof = proof
        yield* scene.refunds.sweep
        yield* TestClock.adjust(minute)
        yield* scene.refunds.sweep
        expect(scene.sent).toHaveLength(1)
        const told = scene.events.filter(({ level }) => level === "error")
        expect(told).toHaveLength(proof._tag === "NotPaid" ? 1 : 0)
      })
    )
  )

  it("is sent on the ledger's word where the chain can't be read", () =>
    play((scene) =>
      Effect.gen(function* () {
        scene.world.canRead = false
        yield* owe(scene.charges, 1, { transferLogIndex: undefined })
        yield* scene.refunds.sweep
        expect(scene.sent).toHaveLength(1)
      })
    ))
})

describe("all refunds stop", () => {
  const proofs: ReadonlyArray<readonly [string, ChainEvidence, string]> = [
    ["a nonce that paid nothing", { _tag: "NotPaid", reason: "used_otherwise" }, "payment_not_on_chain"],
    [
      "a payment that expired unused",
      { _tag: "NotMoved", chainTimeSeconds: start / 1000 + 120 },
      "payment_not_on_chain"
    ],
    ["another transfer than the recorded one", finalProof(paymentOf(77)), "payment_differs_from_record"]
  ]
  it.each(proofs)("at %s, in every process, until an operator resumes them", (_, proof, reason) =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        // The newest is looked at first.
        yield* owe(scene.charges, 2)
        scene.evidence.set(hexOf(2), proof)
        yield* scene.refunds.sweep
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], reason])
        yield* TestClock.adjust(hour)
        const asked = scene.asked.length
        yield* (yield* scene.another()).sweep
        expect(scene.asked).toHaveLength(asked)
        yield* scene.refunds.send((yield* scene.charges.find(keyOf(1)))!)
        expect(scene.sent).toEqual([])
        expect((yield* scene.charges.find(keyOf(1)))!.refund).toEqual({
          _tag: "Due",
          startedAtMillis: undefined
        })
        expect(scene.events).toEqual([
          {
            level: "error",
            code: "refunds_stopped",
            message: stoppedMessage,
            reason,
            transaction: paymentOf(2)
          }
        ])
        // The operator writes off the one that was never paid.
        yield* scene.charges.recordRefund(keyOf(2), "written off", start + hour)
        expect(yield* scene.charges.resumeRefunds()).toBe(true)
        yield* TestClock.adjust(2 * hour)
        yield* scene.refunds.sweep
        expect(scene.sent).toEqual([refundNonce(keyOf(1))])
      })
    )
  )

  it("where a payer would get more than they paid", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        const refunds = yield* scene.another({
          startRefund: () => Effect.succeed({ _tag: "ExceedsReceived" })
        })
        yield* refunds.sweep
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], "refunds_exceed_receipts"])
      })
    ))

  it("where another process stops them while one is started", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        const refunds = yield* scene.another({
          startRefund: (...asked) =>
            Effect.tap(scene.charges.startRefund(...asked), () => scene.charges.stopRefunds("by hand", start))
        })
        yield* refunds.sweep
        expect(scene.sent).toEqual([])
      })
    ))

  it("yet one that was sent before is recorded", () =>
    play((scene) =>
      Effect.gen(function* () {
        const key = yield* owe(scene.charges, 1)
        scene.world.refundProof = { _tag: "Confirming", transaction: "0xback0" }
        yield* scene.refunds.sweep
        yield* scene.charges.stopRefunds("by hand", start)
        scene.world.refundProof = undefined
        yield* TestClock.adjust(minute)
        yield* scene.refunds.sweep
        expect((yield* scene.charges.find(key))?.refund?._tag).toBe("Sent")
      })
    ))
})

describe("the audit before refunds", () => {
  const bogus = (scene: Scene, number: number) => {
    scene.world.hidden.add(number)
    scene.evidence.set(hexOf(number), { _tag: "NotPaid", reason: "canceled" })
  }

  it("stops them where the ledger has a settlement that the chain has not", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        // Refunded long ago: only the audit looks at it.
        yield* owe(scene.charges, 2)
        yield* scene.charges.recordRefund(keyOf(2), "0xback", start)
        bogus(scene, 2)
        yield* scene.refunds.sweep
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], "ledger_disagrees_with_chain"])
        expect(scene.events).toMatchObject([
          { code: "refunds_stopped", message: stoppedMessage, error: expect.any(String) }
        ])
      })
    ))

  it("comes before a refund that an order asks for, too", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        yield* owe(scene.charges, 2)
        bogus(scene, 2)
        yield* scene.refunds.send((yield* scene.charges.find(keyOf(1)))!)
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], "ledger_disagrees_with_chain"])
      })
    ))

  it("stops them at the next attempt where the store failed to record it", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        yield* owe(scene.charges, 2)
        bogus(scene, 2)
        let isDown = true
        const refunds = yield* scene.another({
          stopRefunds: (...asked) =>
            isDown
              ? Effect.fail(new StoreError({ operation: "charges.stopRefunds", cause: undefined }))
              : scene.charges.stopRefunds(...asked)
        })
        expect(yield* Effect.flip(refunds.sweep)).toBeInstanceOf(StoreError)
        expect(messagesOf(scene)).toEqual(["Refunds must be stopped, and the storage failed to record it"])
        isDown = false
        yield* refunds.sweep
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], "ledger_disagrees_with_chain"])
      })
    ))

  it("does not stop them again for a fault that an operator has seen, and does for another", () =>
    play((scene) =>
      Effect.gen(function* () {
        for (const number of [1, 2, 3]) yield* owe(scene.charges, number)
        for (const number of [2, 3]) yield* scene.charges.recordRefund(keyOf(number), "0xback", start)
        bogus(scene, 2)
        yield* scene.refunds.sweep
        // Another process learns of the fault while refunds are stopped.
        const other = yield* scene.another()
        yield* other.sweep
        yield* scene.charges.resumeRefunds()
        yield* TestClock.adjust(11 * minute)
        yield* scene.refunds.sweep
        yield* other.sweep
        expect([scene.sent.length, yield* stopOf(scene)]).toEqual([1, undefined])
        bogus(scene, 3)
        yield* owe(scene.charges, 4)
        yield* TestClock.adjust(11 * minute)
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* stopOf(scene)]).toEqual([1, "ledger_disagrees_with_chain"])
      })
    ))

  it("runs every ten minutes at most, and only while something is owed", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* scene.refunds.sweep
        expect(scene.world.readings).toBe(0)
        for (const number of [1, 2, 3]) yield* owe(scene.charges, number)
        yield* Effect.all([scene.refunds.sweep, scene.refunds.sweep], { concurrency: "unbounded" })
        const once = scene.world.readings
        expect(once).toBeGreaterThan(0)
        yield* owe(scene.charges, 4)
        yield* TestClock.adjust(9 * minute)
        yield* scene.refunds.sweep
        expect(scene.world.readings).toBe(once)
        yield* owe(scene.charges, 5)
        yield* TestClock.adjust(2 * minute)
        yield* scene.refunds.sweep
        expect(scene.world.readings).toBe(2 * once)
        expect(scene.sent).toHaveLength(5)
      })
    ))

  it("accepts transfers of strangers, and chains that can't be read", () =>
    play((scene) =>
      Effect.gen(function* () {
        scene.world.hasForeign = true
        yield* owe(scene.charges, 1)
        yield* scene.refunds.sweep
        scene.world.canRead = false
        scene.world.hidden.add(2)
        yield* owe(scene.charges, 2)
        yield* TestClock.adjust(11 * minute)
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* stopOf(scene)]).toEqual([2, undefined])
      })
    ))
})

describe("the limit of a payer and hour", () => {
  const other = "0x00000000000000000000000000000000000000bb"

  it("holds back that payer's refunds alone, tells the operator, and sends them later", () =>
    play(
      (scene) =>
        Effect.gen(function* () {
          for (const number of [1, 2, 3]) yield* owe(scene.charges, number)
          yield* owe(scene.charges, 4, { payer: other })
          yield* scene.refunds.sweep
          expect(new Set(scene.sent)).toEqual(new Set([4, 3, 2].map((number) => refundNonce(keyOf(number)))))
          expect(scene.events).toEqual([
            {
              level: "error",
              code: "refund_over_limit",
              message:
                "A refund exceeds its payer's hourly limit: an operator is needed unless it is sent later",
              chargeKey: keyOf(1),
              transaction: paymentOf(1)
            }
          ])
          expect(yield* stopOf(scene)).toBeUndefined()
          yield* TestClock.adjust(hour + minute)
          yield* scene.refunds.sweep
          expect(scene.sent).toHaveLength(4)
        }),
      { perPayerPerHourAtomic: 20n }
    ))

  it("is shared by processes that send at the same time", () =>
    play(
      (scene) =>
        Effect.gen(function* () {
          for (let number = 1; number <= 12; number++) yield* owe(scene.charges, number)
          const processes = yield* Effect.all([1, 2, 3].map(() => scene.another()))
          yield* Effect.all(
            processes.map(({ sweep }) => sweep),
            { concurrency: "unbounded" }
          )
          expect(scene.sent).toHaveLength(5)
        }),
      { perPayerPerHourAtomic: 59n }
    ))
})
