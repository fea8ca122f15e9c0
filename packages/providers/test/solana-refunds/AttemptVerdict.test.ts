import { describe, expect, it } from "vitest"
import { type ChainView, knownAttempts, verdictOf } from "../../src/solana-refunds/AttemptVerdict.ts"
import type { TransferAttempt } from "../../src/solana-refunds/TransferJournal.ts"

const attempt = (position = 0, change: Partial<TransferAttempt> = {}): TransferAttempt => ({
  key: "charge-1",
  position,
  signature: `signature-${position}`,
  transaction: "AQ==",
  lastValidBlockHeight: 1_150 + 1_000 * position,
  signedAtSlot: 6_000 + 1_000 * position,
  network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
  payer: "payer",
  payee: "payee",
  mint: "mint",
  amountAtomic: "10000",
  caller: "",
  ...change
})

const failed = { hasFailed: true, isFinal: true }
const paid = { hasFailed: false, isFinal: true }

/** The first attempt has just expired, and is in no block. */
const expired: ChainView = {
  finalHeight: 1_151,
  finalSlot: 6_151,
  statuses: [undefined],
  statusSlot: 6_151,
  firstAvailableSlot: 6_000
}

const verdict = (attempts: ReadonlyArray<TransferAttempt>, change: Partial<ChainView> = {}) =>
  verdictOf(attempts, { ...expired, ...change })

describe("a transfer", () => {
  it("is signed first without any attempt", () => {
    expect(verdict([], { statuses: [] })).toEqual({ _tag: "Sign", isShown: true })
  })

  it("has moved once an attempt succeeded in a final block", () => {
    expect(verdict([attempt()], { statuses: [paid] })).toEqual({ _tag: "Moved", attempt: attempt() })
    expect(verdict([attempt(), attempt(1)], { statuses: [paid, undefined] })).toMatchObject({
      _tag: "Moved",
      attempt: { position: 0 }
    })
    expect(verdict([attempt(), attempt(1)], { statuses: [failed, paid] })).toMatchObject({
      _tag: "Moved",
      attempt: { position: 1 }
    })
  })

  it("waits while an attempt's block can be undone", () => {
    for (const hasFailed of [true, false]) {
      expect(verdict([attempt()], { statuses: [{ hasFailed, isFinal: false }] })).toEqual({ _tag: "Wait" })
    }
  })

  it("is sent again until the final chain has passed the attempt's last valid block", () => {
    const send = { _tag: "Send", attempt: attempt(), transaction: "AQ==" }
    expect(verdict([attempt()], { finalHeight: 1_000 })).toEqual(send)
    expect(verdict([attempt()], { finalHeight: 1_150 })).toEqual(send)
    expect(verdict([attempt()], { finalHeight: 1_151 })).toEqual({ _tag: "Sign", isShown: false })
  })

  it("waits where the node that knows the statuses is behind the final block", () => {
    expect(verdict([attempt()], { statusSlot: 6_150 })).toEqual({ _tag: "Wait" })
  })

  it("is uncertain where the node lacks blocks that an expired attempt may be in", () => {
    expect(verdict([attempt()], { firstAvailableSlot: 6_001 })).toEqual({
      _tag: "Uncertain",
      attempt: attempt()
    })
    // Another attempt that lives doesn't make the first one certain.
    expect(verdict([attempt(), attempt(1)], { firstAvailableSlot: 6_001 })).toMatchObject({
      _tag: "Uncertain",
      attempt: { position: 0 }
    })
  })

  it("is signed again once an attempt failed in a final block", () => {
    expect(verdict([attempt()], { statuses: [failed] })).toEqual({ _tag: "Sign", isShown: true })
  })

  it("is never signed again while one of its attempts lives", () => {
    const both = [attempt(), attempt(1)]
    expect(verdict(both, { statuses: [undefined, undefined] })).toEqual({
      _tag: "Send",
      attempt: both[1],
      transaction: "AQ=="
    })
    expect(verdict(both, { statuses: [failed, undefined] })).toEqual({
      _tag: "Send",
      attempt: both[1],
      transaction: "AQ=="
    })
    const later = { finalHeight: 2_151, finalSlot: 7_151, statusSlot: 7_151 }
    // One that failed shows nothing of the other.
    expect(verdict(both, { ...later, statuses: [failed, undefined] })).toEqual({
      _tag: "Sign",
      isShown: false
    })
    expect(verdict(both, { ...later, statuses: [undefined, undefined] })).toEqual({
      _tag: "Sign",
      isShown: false
    })
  })
})

describe("a transfer that the till has recorded for another wallet", () => {
  const theirs = {
    wallet: "other",
    transaction: "signature-other",
    signedAtSlot: 6_000,
    lastValidBlockHeight: 1_150
  }
  const other = {
    payer: "other",
    signature: "signature-other",
    signedAtSlot: 6_000,
    lastValidBlockHeight: 1_150,
    transaction: undefined
  }

  it("is known beside the attempts of the journal, each once", () => {
    const mine = { ...theirs, wallet: "payer", transaction: "signature-0" }
    expect(knownAttempts([attempt()], [mine, theirs])).toEqual([attempt(), other])
    expect(knownAttempts([], [])).toEqual([])
  })

  it("holds this wallet's transfer until it has expired, and counts if it moved", () => {
    for (const known of [[other], [other, attempt(1)], [attempt(), other]]) {
      const statuses = known.map(() => undefined)
      expect(verdictOf(known, { ...expired, finalHeight: 1_150, statuses })).toEqual({ _tag: "Wait" })
      const moved = known.map((each) => (each === other ? paid : undefined))
      expect(verdictOf(known, { ...expired, statuses: moved })).toEqual({ _tag: "Moved", attempt: other })
    }
    expect(verdictOf([other], expired)).toEqual({ _tag: "Sign", isShown: false })
    expect(verdictOf([other], { ...expired, firstAvailableSlot: 6_001 })).toEqual({
      _tag: "Uncertain",
      attempt: other
    })
  })
})
