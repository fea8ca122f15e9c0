import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { StoreError } from "../../src/domain/Errors.ts"
import type { TillEvent } from "../../src/Options.ts"
import { type Charge, Charges, type ChargeState } from "../../src/ports/Charges.ts"
import { type Sealed, Secrets } from "../../src/Secrets.ts"
import { eventLogger } from "../../src/events.ts"
import { Chain, type ChainEvidence } from "../../src/toll/Chain.ts"
import { Facilitator, type Settlement } from "../../src/toll/Facilitator.ts"
import {
  type Held,
  type SettlementTask,
  Settling,
  type SettlingStep,
  Subjects
} from "../../src/toll/Settling.ts"
import type { Event, Facts } from "../../src/toll/Steps.ts"
import { asClaimed, lease } from "../../src/testing/stores/chargeRecords.ts"
import { sampleAnswer, sampleCharge, sampleReceipt } from "../../src/testing/stores/records.ts"

/*
 * Settling over a store, a chain and a facilitator that the test writes, verb by verb: what is asked of each, and what
 * is made of each answer, those that no store gives in a test of its own included.
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

export const facts: Facts = {
  by: "reconciler",
  canReadChain: true,
  proofRequired: true,
  settlesFirst: false,
  isRefunded: false,
  validBeforeSeconds: 1_000,
  unverifiedSinceMillis: 0,
  finalitySeconds
}

export const subject = { kind: "order", id: "order-1" } as const

export const chargeIn = (state: ChargeState, changes: Partial<Charge> = {}): Charge => ({
  ...asClaimed(sampleCharge({ key, settlement: JSON.stringify({ task }) }), lease("me", 0)),
  state,
  unverifiedSinceMillis: 400_000,
  answer: state === "ready" || state === "settled" ? sampleAnswer() : undefined,
  receipt: state === "settled" ? sampleReceipt() : undefined,
  settledAtMillis: state === "settled" ? 450_000 : undefined,
  ...changes
})

export const heldBy = (changes: Partial<Held> = {}): Held => ({
  key,
  owner: "me",
  nowMillis: () => nowMillis,
  facts,
  task,
  subject: undefined,
  isSettled: false,
  awaitsFinality: false,
  attempts: 0,
  ...changes
})

export const storeError = new StoreError({ operation: "charges.any", cause: new Error("disk full") })

/** A verb, and what it was asked. */
export type Asked = readonly [verb: string, ...given: ReadonlyArray<unknown>]

/** Answers of a service by verb; any other verb is a defect of the test or of what it tests. */
type Answers<S> = { readonly [Verb in keyof S]?: S[Verb] }

type Answer = (...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

/** A verb counts as asked when its effect runs, not when it is put together. */
export const scripted = <S extends object>(answers: Answers<S>, asked: Array<Asked>): S =>
  new Proxy({} as S, {
    get:
      (_, verb: string) =>
      (...given: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          asked.push([verb, ...given])
          const answer = answers[verb as keyof S] as Answer | undefined
          return answer === undefined ? Effect.die(new Error(`${verb} was not expected`)) : answer(...given)
        })
  })

export interface Script {
  readonly charges?: Answers<Charges["Service"]>
  readonly subjects?: Answers<Subjects["Service"]>
  /** Evidence of the chain, one after the other; the last one stays. */
  readonly evidence?: ReadonlyArray<ChainEvidence>
  readonly usedNonces?: Chain["Service"]["usedNonces"]
  /** The networks whose chain can be read; Base Sepolia where it isn't said. */
  readonly readable?: ReadonlyArray<string>
  readonly settlement?: Settlement
  /** The texts that can be decrypted, by what encrypts them. */
  readonly opened?: (sealed: Sealed) => string | undefined
}

export interface Scene {
  readonly settling: Settling["Service"]
  readonly asked: ReadonlyArray<Asked>
  readonly events: ReadonlyArray<TillEvent>
  readonly perform: (step: SettlingStep, held: Held) => Effect.Effect<Event, StoreError>
}

/** Plays a script: the clock stands at `nowMillis` and moves when the test says so. */
export const play = <A>(script: Script, test: (scene: Scene) => Effect.Effect<A, StoreError>): Promise<A> => {
  const asked: Array<Asked> = []
  const events: Array<TillEvent> = []
  const evidence = [...(script.evidence ?? [])]
  const chain: Chain["Service"] = {
    canRead: (caip2) => (script.readable ?? [sepolia]).includes(caip2),
    evidence: (...given) =>
      Effect.suspend(() => {
        asked.push(["evidence", ...given])
        return Effect.succeed(evidence.length > 1 ? evidence.shift()! : evidence[0]!)
      }),
    usedNonces: (...given) => {
      asked.push(["usedNonces", ...given])
      return script.usedNonces!(...given)
    },
    balanceOf: () => Effect.die(new Error("balanceOf was not expected")),
    acceptsSignature: () => Effect.die(new Error("acceptsSignature was not expected")),
    transfersTo: () => Effect.die(new Error("transfersTo was not expected"))
  }
  const services = Layer.mergeAll(
    Layer.succeed(Charges, scripted<Charges["Service"]>(script.charges ?? {}, asked)),
    Layer.succeed(Subjects, scripted<Subjects["Service"]>(script.subjects ?? {}, asked)),
    Layer.succeed(Chain, chain),
    Layer.succeed(
      Facilitator,
      scripted<Facilitator["Service"]>({ settle: () => Effect.succeed(script.settlement!) }, asked)
    ),
    Layer.succeed(Secrets, {
      currentKeyId: "k1",
      digest: () => undefined,
      seal: () => Effect.die(new Error("seal was not expected")),
      open: (sealed) => Effect.sync(() => script.opened?.(sealed))
    })
  )
  const layer = Settling.layer({
    leaseMillis,
    owedResponseMillis,
    finalitySeconds: new Map([[sepolia, finalitySeconds]])
  }).pipe(Layer.provide(services))
  const program = Effect.gen(function* () {
    yield* TestClock.setTime(nowMillis)
    const settling = yield* Settling
    return yield* test({
      settling,
      asked,
      events,
      perform: (step, held) => Effect.gen(() => settling.perform(step, held))
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
