import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { TillEvent } from "../../../src/runtime/events.ts"
import { eventLogger } from "../../../src/runtime/events.ts"
import { findNetwork } from "../../../src/domain/Network.ts"
import { Refunds } from "../../../src/refunds/Refunds.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { sampleResponse, sampleCharge } from "../../../../testing/src/stores/records.ts"
import { Chain, type ChainEvidence, type EvidenceHints } from "../../../src/toll/evidence/Chain.ts"
import { Facilitator, type FacilitatorRequest } from "../../../src/toll/facilitator/Facilitator.ts"

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const network = { ...findNetwork("base-sepolia")!, payTo }
const walletAddress = "0x00000000000000000000000000000000000000F1"
export const payer = "0x00000000000000000000000000000000000000aa"
export const start = Date.UTC(2026, 10, 21)
export const minute = 60_000
export const hour = 60 * minute

export const hexOf = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`
export const keyOf = (number: number): string => `${network.caip2}:0xusdc:${payer}:${hexOf(number)}`
export const paymentOf = (number: number): string => hexOf(1_000 + number)

export const finalProof = (transaction: string): ChainEvidence => ({
  _tag: "Moved",
  transaction,
  logIndex: 1,
  atSeconds: start / 1000,
  isFinal: true
})

/** Services of one process after another, over one store and one chain. */
export interface Scene {
  readonly charges: Charges["Service"]
  readonly refunds: Refunds["Service"]
  /** Evidence by nonce: payments are proven unless the test changes that. */
  readonly evidence: Map<string, ChainEvidence>
  readonly events: ReadonlyArray<TillEvent>
  /** Nonces of the refunds that were submitted, in order; each as often as it was. */
  readonly sent: ReadonlyArray<string>
  /** The nonces that were looked up on the chain, with their hints. */
  readonly lookups: ReadonlyArray<readonly [nonce: string, hints: EvidenceHints | undefined]>
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

export const play = <A>(
  test: (scene: Scene) => Effect.Effect<A, unknown>,
  options: { readonly perPayerPerHour?: bigint } = {}
): Promise<A> => {
  const evidence = new Map<string, ChainEvidence>()
  const events: Array<TillEvent> = []
  const sent: Array<string> = []
  const lookups: Array<readonly [string, EvidenceHints | undefined]> = []
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
        lookups.push([nonce, hints])
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
    settle: ({ payload }: FacilitatorRequest) =>
      Effect.sync(() => {
        if (!("authorization" in payload)) throw new Error("the refund is not on EVM")
        const { nonce } = payload.authorization
        sent.push(nonce)
        return { _tag: "Settled", transaction: `0xback${sent.indexOf(nonce)}`, payer: walletAddress }
      }),
    supported: Effect.succeed([])
  }
  const process = Layer.fresh(
    Refunds.layer({
      wallet: { address: walletAddress, signTypedData: async () => "0x00" },
      solana: undefined,
      networks: [network],
      perPayerPerHour: options.perPayerPerHour ?? 1_000n
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
    return yield* test({ charges: tracked, refunds, evidence, events, sent, lookups, world, another })
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
export const owe = Effect.fnUntraced(function* (
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

export const messagesOf = ({ events }: Scene): ReadonlyArray<string> => events.map(({ message }) => message)

export const stopOf = ({ charges }: Scene) => Effect.map(charges.refundStop(), (stop) => stop?.reason)
