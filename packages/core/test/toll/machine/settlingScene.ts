import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { StoreError } from "../../../src/domain/Errors.ts"
import type { TillEvent } from "../../../src/runtime/events.ts"
import { type Charge, Charges, type ChargeState } from "../../../src/ports/Charges.ts"
import { type Encrypted, Secrets } from "../../../src/runtime/Secrets.ts"
import { eventLogger } from "../../../src/runtime/events.ts"
import { Chain, type ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import { Facilitator, type Settlement } from "../../../src/toll/facilitator/Facilitator.ts"
import type { ChargeEvent, ChargeFacts, SettlementStep } from "../../../src/toll/machine/ChargeStep.ts"
import type { ChargeLease, HeldCharge } from "../../../src/toll/attempt/HeldCharge.ts"
import { SettlementEffects } from "../../../src/ports/SettlementEffects.ts"
import { SettlementRunner } from "../../../src/toll/perform/SettlementRunner.ts"
import type { Takeover } from "../../../src/toll/perform/SettlementPerformer.ts"
import type { SettlementTask } from "../../../src/toll/machine/SettlementTask.ts"
import { asClaimed, lease } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleResponse, sampleCharge, sampleReceipt } from "../../../../testing/src/stores/records.ts"

/*
 * A settlement over a scripted store, chain and facilitator. Tests check the calls of each and the steps after each
 * response, including responses that a real store returns only in races.
 */

export const nowMillis = 500_000
export const leaseMillis = 180_000
export const owedResponseMillis = 3_600_000
export const finalitySeconds = 60
export const sepolia = "eip155:84532"
export const key = `${sepolia}:0x036c:0x857b06519e91e3a54538791bdbb0e22373e36b66:0x01`

export const authorization = {
  from: "0x857b06519E91e3A54538791bDbb0E22373e36b66",
  to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  value: "10000",
  validAfter: "0",
  validBefore: "1000",
  nonce: "0x01"
}

export const task: SettlementTask = {
  network: sepolia,
  authorization,
  proofRequired: false,
  request: { x402Version: 2 } as SettlementTask["request"]
}

export const facts: ChargeFacts = {
  by: "reconciler",
  canReadChain: true,
  proofRequired: true,
  workIsDue: false,
  validBeforeSeconds: 1_000,
  finalitySeconds
}

export const done = { _tag: "Done" } as const
export const subject = { kind: "order", id: "order-1" } as const

export const chargeIn = (state: ChargeState, changes: Partial<Charge> = {}): Charge => ({
  ...asClaimed(sampleCharge({ key, settlement: JSON.stringify({ task }) }), lease("me", 0)),
  state,
  response: state === "ready" || state === "settled" ? sampleResponse() : undefined,
  receipt: state === "settled" ? sampleReceipt() : undefined,
  settledAtMillis: state === "settled" ? 450_000 : undefined,
  ...changes
})

export const heldBy = (changes: Partial<HeldCharge> = {}): HeldCharge => ({
  key,
  owner: "me",
  by: "reconciler",
  nowMillis: () => nowMillis,
  operation: "search",
  facts,
  task,
  subject: undefined,
  claimedAfterBlock: `100 0xa`,
  attempts: 0,
  ...changes
})

export const storeError = new StoreError({ operation: "charges.any", cause: new Error("disk full") })

/** A called method and its arguments. */
export type RecordedCall = readonly [verb: string, ...given: ReadonlyArray<unknown>]

/** Responses of a service by method; calling any other method is a defect. */
type Answers<S> = { readonly [Verb in keyof S]?: S[Verb] }

type Answer = (...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

/** A call counts when its effect runs, not when it is made. */
export const scripted = <S extends object>(responses: Answers<S>, calls: Array<RecordedCall>): S =>
  new Proxy({} as S, {
    get:
      (_, verb: string) =>
      (...given: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          calls.push([verb, ...given])
          const response = responses[verb as keyof S] as Answer | undefined
          return response === undefined
            ? Effect.die(new Error(`${verb} was not expected`))
            : response(...given)
        })
  })

export interface Script {
  readonly charges?: Answers<Charges["Service"]>
  readonly subjects?: Answers<SettlementEffects["Service"]>
  /** Evidence of the chain, in order; the last one repeats. */
  readonly evidence?: ReadonlyArray<ChainEvidence>
  readonly usedNonces?: Chain["Service"]["usedNonces"]
  /** The networks whose chain can be read; default: Base Sepolia. */
  readonly readable?: ReadonlyArray<string>
  readonly settlement?: Settlement
  /** Decrypts a text; `undefined` if its key is not configured. */
  readonly opened?: (sealed: Encrypted) => string | undefined
}

export interface Scene {
  readonly settling: SettlementRunner["Service"]
  readonly calls: ReadonlyArray<RecordedCall>
  readonly events: ReadonlyArray<TillEvent>
  readonly takeOver: (lease: ChargeLease) => Effect.Effect<Takeover | undefined, StoreError>
  readonly perform: (step: SettlementStep, held: HeldCharge) => Effect.Effect<ChargeEvent, StoreError>
}

/** Runs a test over a script. The clock starts at `nowMillis` and moves only when the test moves it. */
export const play = <A>(script: Script, test: (scene: Scene) => Effect.Effect<A, StoreError>): Promise<A> => {
  const calls: Array<RecordedCall> = []
  const events: Array<TillEvent> = []
  const evidence = [...(script.evidence ?? [])]
  const chain: Chain["Service"] = {
    canRead: (caip2) => (script.readable ?? [sepolia]).includes(caip2),
    evidence: (...given) =>
      Effect.suspend(() => {
        calls.push(["evidence", ...given])
        return Effect.succeed(evidence.length > 1 ? evidence.shift()! : evidence[0]!)
      }),
    usedNonces: (...given) => {
      calls.push(["usedNonces", ...given])
      return script.usedNonces!(...given)
    },
    balanceOf: () => Effect.die(new Error("balanceOf was not expected")),
    acceptsSignature: () => Effect.die(new Error("acceptsSignature was not expected")),
    transfersTo: () => Effect.die(new Error("transfersTo was not expected"))
  }
  const { abandoned, add, settled } = scripted<SettlementEffects["Service"]>(script.subjects ?? {}, calls)
  const services = Layer.mergeAll(
    Layer.succeed(Charges, scripted<Charges["Service"]>(script.charges ?? {}, calls)),
    Layer.succeed(SettlementEffects, { add, settled, abandoned, isKnown: () => true }),
    Layer.succeed(Chain, chain),
    Layer.succeed(
      Facilitator,
      scripted<Facilitator["Service"]>({ settle: () => Effect.succeed(script.settlement!) }, calls)
    ),
    Layer.succeed(Secrets, {
      currentKeyId: "k1",
      keyIds: ["k1"],
      retiredKeyIds: new Set<string>(),
      digest: () => undefined,
      encrypt: () => Effect.die(new Error("seal was not expected")),
      decrypt: (sealed) => Effect.sync(() => script.opened?.(sealed))
    })
  )
  const layer = SettlementRunner.layer({
    listedResources: new Map(),
    leaseMillis,
    owedResponseMillis,
    finalitySeconds: new Map([[sepolia, finalitySeconds]])
  }).pipe(Layer.provide(services))
  const program = Effect.gen(function* () {
    yield* TestClock.setTime(nowMillis)
    const settling = yield* SettlementRunner
    return yield* test({
      settling,
      calls,
      events,
      takeOver: settling.takeOver,
      perform: settling.perform
    })
  })
  return Effect.runPromise(
    program.pipe(
      Effect.provide(layer),
      Effect.provide(Logger.layer([eventLogger((event) => events.push(event))])),
      Effect.provide(TestClock.layer())
    )
  )
}
