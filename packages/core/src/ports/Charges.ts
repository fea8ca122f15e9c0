import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Receipt } from "../domain/PaymentRequired.ts"

/** What a charge sets off besides its answer: an order or a purchase, by id. */
export interface Subject {
  readonly kind: "order" | "purchase"
  readonly id: string
}

/**
 * The answer of a charge, as it goes out and as it is given again.
 * `sealed` bodies are encrypted under the host secret; `reopen` bodies are not kept but opened anew.
 */
export interface RecordedAnswer {
  readonly status: number
  readonly contentType: string
  readonly body:
    | { readonly _tag: "Plain"; readonly text: string }
    | { readonly _tag: "Sealed"; readonly keyId: string; readonly base64: string }
    | { readonly _tag: "Reopen"; readonly slug: string }
}

/** What is recorded of a payment when it is claimed. */
export interface NewCharge {
  /** What was signed: `chain:asset:payer:nonce`. */
  readonly key: string
  /** Digest of the signed payload, signature included: a replay must present the same. */
  readonly payloadDigest: string
  /** Keyed digest of method, route and canonical input, prefixed by the key's id. */
  readonly fingerprint: string
  readonly operation: string
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly payTo: string
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
  /** Seconds since the epoch after which the authorization is void. */
  readonly validBeforeSeconds: number
  /** The version of the payment header: which receipt header the answer carries. */
  readonly x402Version: 1 | 2
  /** What settling again needs, as JSON; encrypted where the answer is. Empty once settled. */
  readonly settlement: string
  readonly createdAtMillis: number
}

/**
 * `claimed`: work is under way, nothing settled. `ready`: the answer stands, the money may or may not
 * have moved. `settled`: paid, the answer is due for as long as it is kept.
 */
export type ChargeState = "claimed" | "ready" | "settled"

/** A charge as the store holds it. */
export interface Charge extends NewCharge {
  readonly state: ChargeState
  /** Who works on it, until when: milliseconds since the epoch. */
  readonly leaseOwner: string
  readonly leaseUntilMillis: number
  /** From `ready` on. Absent once its time is over: what is left is a tombstone of the key. */
  readonly answer: RecordedAnswer | undefined
  readonly subject: Subject | undefined
  /** From `settled` on. */
  readonly receipt: Receipt | undefined
  readonly settledAtMillis: number | undefined
}

/** What `claim` found. */
export type Claim = { readonly _tag: "Claimed" } | { readonly _tag: "Existing"; readonly charge: Charge }

/** Who holds a charge: a unique name per call, and until when. */
export interface Lease {
  readonly owner: string
  readonly untilMillis: number
}

/**
 * Charges by key. Each verb is one atomic step (a compare-and-set, never get-then-set) that answers
 * whether it took effect: `false` means that somebody else holds the charge or it is past that state.
 */
export class Charges extends Context.Service<
  Charges,
  {
    readonly find: (key: string) => Effect.Effect<Charge | undefined, StoreError>
    /**
     * Takes a free key. A key whose charge is `claimed` with a lapsed lease is free as well (its process
     * died before anything was settled): the new charge replaces it. Of any number of racers one wins.
     */
    readonly claim: (charge: NewCharge, lease: Lease, nowMillis: number) => Effect.Effect<Claim, StoreError>
    /** `claimed` → `ready`, by the owner of the lease: records the answer before money moves. */
    readonly advance: (
      key: string,
      owner: string,
      outcome: { readonly answer: RecordedAnswer; readonly subject: Subject | undefined }
    ) => Effect.Effect<boolean, StoreError>
    /** `ready` → `settled`, by anyone: a settlement seen is a fact. What settling again needs is forgotten. */
    readonly complete: (
      key: string,
      receipt: Receipt,
      nowMillis: number
    ) => Effect.Effect<boolean, StoreError>
    /** Frees a `claimed` or `ready` key, by the owner of the lease: work failed, or settlement was refused. */
    readonly release: (key: string, owner: string) => Effect.Effect<boolean, StoreError>
    /** Takes the lapsed lease of a `ready` charge, to finish it. */
    readonly takeOver: (key: string, lease: Lease, nowMillis: number) => Effect.Effect<boolean, StoreError>
    /** Ends a lease early, state kept, so that whoever comes next need not wait it out. */
    readonly yieldLease: (key: string, owner: string) => Effect.Effect<void, StoreError>
    /** `ready` charges whose lease has lapsed, oldest first: what a dead process left. */
    readonly unfinished: (
      nowMillis: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
    /** All charges, newest first. */
    readonly list: (options: { readonly limit: number }) => Effect.Effect<ReadonlyArray<Charge>, StoreError>
    /**
     * Deletes recorded answers of charges settled before `beforeMillis`; the charges themselves are the
     * host's books and stay. Claims of dead processes (created, lapsed and void before that), which
     * settled nothing, go whole. Answers how many were touched.
     */
    readonly expire: (beforeMillis: number) => Effect.Effect<number, StoreError>
  }
>()("@till402/core/Charges") {
  /** Charges in memory: one thread runs each verb whole, so each is atomic. */
  static readonly layerMemory: Layer.Layer<Charges> = Layer.sync(Charges, () => {
    const charges = new Map<string, Charge>()
    const change = (key: string, when: (charge: Charge) => boolean, to: Partial<Charge>): boolean => {
      const charge = charges.get(key)
      if (charge === undefined || !when(charge)) return false
      charges.set(key, { ...charge, ...to })
      return true
    }
    return Charges.of({
      find: (key) => Effect.sync(() => charges.get(key)),
      claim: (charge, lease, nowMillis) =>
        Effect.sync(() => {
          const existing = charges.get(charge.key)
          if (
            existing !== undefined &&
            !(existing.state === "claimed" && existing.leaseUntilMillis <= nowMillis)
          ) {
            return { _tag: "Existing", charge: existing }
          }
          charges.set(charge.key, {
            ...charge,
            state: "claimed",
            leaseOwner: lease.owner,
            leaseUntilMillis: lease.untilMillis,
            answer: undefined,
            subject: undefined,
            receipt: undefined,
            settledAtMillis: undefined
          })
          return { _tag: "Claimed" }
        }),
      advance: (key, owner, { answer, subject }) =>
        Effect.sync(() =>
          change(key, ({ leaseOwner, state }) => state === "claimed" && leaseOwner === owner, {
            state: "ready",
            answer,
            subject
          })
        ),
      complete: (key, receipt, nowMillis) =>
        Effect.sync(() =>
          change(key, ({ state }) => state === "ready", {
            state: "settled",
            settlement: "",
            receipt,
            settledAtMillis: nowMillis
          })
        ),
      release: (key, owner) =>
        Effect.sync(() => {
          const charge = charges.get(key)
          return (
            charge !== undefined &&
            charge.state !== "settled" &&
            charge.leaseOwner === owner &&
            charges.delete(key)
          )
        }),
      takeOver: (key, lease, nowMillis) =>
        Effect.sync(() =>
          change(key, ({ leaseUntilMillis, state }) => state === "ready" && leaseUntilMillis <= nowMillis, {
            leaseOwner: lease.owner,
            leaseUntilMillis: lease.untilMillis
          })
        ),
      yieldLease: (key, owner) =>
        Effect.sync(() => {
          change(key, ({ leaseOwner }) => leaseOwner === owner, { leaseUntilMillis: 0 })
        }),
      unfinished: (nowMillis, limit) =>
        Effect.sync(() =>
          Array.from(charges.values())
            .filter(({ leaseUntilMillis, state }) => state === "ready" && leaseUntilMillis <= nowMillis)
            .sort(oldestFirst)
            .slice(0, limit)
        ),
      list: ({ limit }) =>
        Effect.sync(() =>
          Array.from(charges.values())
            .sort((left, right) => oldestFirst(right, left))
            .slice(0, limit)
        ),
      expire: (beforeMillis) =>
        Effect.sync(() => {
          let touched = 0
          for (const charge of charges.values()) {
            if (isDeadClaim(charge, beforeMillis)) charges.delete(charge.key)
            else if (charge.answer !== undefined && (charge.settledAtMillis ?? beforeMillis) < beforeMillis) {
              charges.set(charge.key, { ...charge, answer: undefined })
            } else continue
            touched++
          }
          return touched
        })
    })
  })
}

const isDeadClaim = (charge: Charge, beforeMillis: number): boolean =>
  charge.state === "claimed" &&
  charge.createdAtMillis < beforeMillis &&
  charge.leaseUntilMillis < beforeMillis &&
  charge.validBeforeSeconds * 1000 < beforeMillis

const oldestFirst = (left: Charge, right: Charge): number =>
  left.createdAtMillis - right.createdAtMillis || (left.key < right.key ? -1 : 1)
