import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"
import { type Exit, Redacted } from "effect"
import type { TrackQuery } from "@till402/core"
import { sameNumber } from "./Envelope.ts"
import type { Found, LookupError } from "./Lookup.ts"

/**
 * What a query is remembered by: number, carrier, and a keyed digest of every further field. Who sends
 * another phone number asks another question, and none of these fields can be read back.
 */
export const answerKey =
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

/** Outcomes of lookups, so many at most: the one that was not asked for the longest goes first. */
export class Answers {
  private readonly capacity: number
  /** Least recently asked first. */
  private readonly remembered = new Map<string, Remembered>()
  private readonly keysOfNumber = new Map<string, Set<string>>()

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get(key: string, now: number): Outcome | undefined {
    const entry = this.remembered.get(key)
    if (entry === undefined) return undefined
    if (entry.expiresAt <= now) {
      this.forget(key)
      return undefined
    }
    this.remembered.delete(key)
    this.remembered.set(key, entry)
    return entry.outcome
  }

  set(key: string, outcome: Outcome, expiresAt: number): void {
    this.forget(key)
    this.remembered.set(key, { outcome, expiresAt })
    const number = numberOf(key)
    const keys = this.keysOfNumber.get(number)
    if (keys === undefined) this.keysOfNumber.set(number, new Set([key]))
    else keys.add(key)
    for (const oldest of this.remembered.keys()) {
      if (this.remembered.size <= this.capacity) break
      this.forget(oldest)
    }
  }

  forget(key: string): void {
    if (!this.remembered.delete(key)) return
    const number = numberOf(key)
    const keys = this.keysOfNumber.get(number)
    if (keys?.delete(key) === true && keys.size === 0) this.keysOfNumber.delete(number)
  }

  /** All that is remembered of one number, whoever asked. */
  ofNumber(number: string): ReadonlyArray<readonly [key: string, outcome: Outcome]> {
    return [...(this.keysOfNumber.get(sameNumber(number)) ?? [])].flatMap((key) => {
      const entry = this.remembered.get(key)
      return entry === undefined ? [] : [[key, entry.outcome] as const]
    })
  }
}
