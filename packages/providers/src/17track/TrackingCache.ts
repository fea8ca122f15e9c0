import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"
import { type Exit, Redacted } from "effect"
import type { TrackQuery } from "@till402/core"
import { BoundedMap } from "@till402/core/effect"
import { sameNumber } from "./Envelope.ts"
import type { Found } from "./FirstNews.ts"
import type { LookupError } from "./Lookup.ts"

/**
 * The cache key of a query: number, carrier, and a keyed digest of all further fields. Queries with different
 * fields have different keys, and no field can be recovered from a key.
 */
export const cacheKey =
  (apiKey: Redacted.Redacted<string>) =>
  (query: TrackQuery): string => {
    const { carrier, cpfOrCnpj, destinationCountry, destinationPostalCode, phone, shipDate } = query
    const extras = [destinationPostalCode, destinationCountry, shipDate, phone, cpfOrCnpj]
    const digest = extras.some((extra) => extra !== undefined)
      ? bytesToHex(hmac(sha256, Redacted.value(apiKey), JSON.stringify(extras.map((extra) => extra ?? null))))
      : ""
    return `${sameNumber(query.number)}|${carrier ?? ""}|${digest}`
  }

const numberOf = (key: string): string => key.slice(0, key.indexOf("|"))

export type Outcome = Exit.Exit<Found, LookupError>

interface Remembered {
  readonly outcome: Outcome
  readonly expiresAt: number
}

/** A bounded cache of lookup outcomes. The least recently used is evicted first. */
export class TrackingCache {
  private readonly remembered: BoundedMap<string, Remembered>
  private readonly keysOfNumber = new Map<string, Set<string>>()

  constructor(capacity: number) {
    this.remembered = new BoundedMap(capacity)
  }

  get(key: string, now: number): Outcome | undefined {
    const entry = this.remembered.get(key)
    if (entry === undefined) return undefined
    if (entry.expiresAt <= now) {
      this.forget(key)
      return undefined
    }
    this.remembered.set(key, entry)
    return entry.outcome
  }

  set(key: string, outcome: Outcome, expiresAt: number): void {
    const number = numberOf(key)
    const keys = this.keysOfNumber.get(number)
    if (keys === undefined) this.keysOfNumber.set(number, new Set([key]))
    else keys.add(key)
    const evicted = this.remembered.set(key, { outcome, expiresAt })
    if (evicted !== undefined) this.unlist(evicted)
  }

  forget(key: string): void {
    if (this.remembered.delete(key)) this.unlist(key)
  }

  private unlist(key: string): void {
    const number = numberOf(key)
    const keys = this.keysOfNumber.get(number)
    if (keys?.delete(key) === true && keys.size === 0) this.keysOfNumber.delete(number)
  }

  /** All cached lookups of a number. */
  ofNumber(number: string): ReadonlyArray<readonly [key: string, outcome: Outcome]> {
    return [...(this.keysOfNumber.get(sameNumber(number)) ?? [])].flatMap((key) => {
      const entry = this.remembered.get(key)
      return entry === undefined ? [] : [[key, entry.outcome] as const]
    })
  }
}
