import { BoundedMap } from "../../runtime/BoundedMap.ts"
import type { Refusal } from "../request/Verdict.ts"

/** A call that was refused. Its refusal is that of copies at the same time: same payment, same request. */
export interface RefusedCall {
  readonly digest: string
  /** Of the request, which may be long: refusals are kept. */
  readonly fingerprint: string
  readonly refusal: Refusal
}

const maxRefusals = 10_000

/** The refusals of this process, numbered in the order in which they were learned: the latest one of each payment. */
export class RecentRefusals {
  private readonly refusals = new BoundedMap<string, RefusedCall & { readonly number: number }>(maxRefusals)
  private count = 0

  /** Number of the latest refusal. */
  get latest(): number {
    return this.count
  }

  /** A number for the refusal to which what was learned now may lead. */
  next(): number {
    return ++this.count
  }

  /** Notes the refusal of a call for the payment with this key. */
  note(key: string, refused: RefusedCall, number = this.next()): void {
    this.refusals.set(key, { ...refused, number })
  }

  /** The latest refusal for a key, if its number is higher than this one. */
  after(key: string, number: number): RefusedCall | undefined {
    const refused = this.refusals.get(key)
    return refused !== undefined && refused.number > number ? refused : undefined
  }
}
