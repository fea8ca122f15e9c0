import { describe, expect, it } from "vitest"
import type { NonceUse } from "../../../src/toll/evidence/TransferProof.ts"
import { evidenceOf, useNotFound } from "../../../src/toll/evidence/ChainEvidence.ts"
import type { Block } from "../../../src/toll/evidence/ChainNode.ts"

const block = (number: bigint, timestamp: bigint): Block => ({ number, timestamp, hash: `0x${number}` })
const transaction = "0x2"
const found = block(100n, 1_000n)
const paid: NonceUse = { _tag: "Paid", logIndex: 7 }
const canceled: NonceUse = { _tag: "Canceled" }
const elsewhere: NonceUse = { _tag: "UsedOtherwise" }
const unavailable = { _tag: "Unavailable" }
const confirming = { _tag: "Confirming", transaction }
const moved = (isFinal: boolean) => ({ _tag: "Moved", transaction, logIndex: 7, atSeconds: 1_000, isFinal })
const notPaid = (reason: string) => ({ _tag: "NotPaid", reason })

/** A use in block 100, at 1,000 s, as it looks from a latest block. */
const seen = (
  use: NonceUse,
  latest: Block,
  confirmations = 3,
  finalitySeconds = 60,
  at: Block | undefined = found
) =>
  evidenceOf({ use: use as Exclude<NonceUse, { _tag: "Absent" }>, transaction, block: at }, latest, {
    confirmations,
    finalitySeconds
  })

describe("a payment", () => {
  it.each([
    ["a block short of its confirmations", block(101n, 1_100n), confirming],
    ["with its confirmations, a second too young", block(102n, 1_059n), moved(false)],
    ["with its confirmations, old enough", block(102n, 1_060n), moved(true)]
  ])("%s", (_, latest, evidence) => {
    expect(seen(paid, latest)).toEqual(evidence)
  })

  it("has one confirmation by its own block, whatever the node's latest block was", () => {
    for (const latest of [block(99n, 999n), block(100n, 1_000n)]) {
      expect(seen(paid, latest, 1, 0)).toEqual(moved(latest.number === 100n))
      expect(seen(paid, latest, 2, 0)).toEqual(confirming)
    }
  })

  it("without a block is not confirmed and not final, even if no confirmations are required", () => {
    for (const confirmations of [0, 1])
      expect(
        evidenceOf(
          { use: { _tag: "Paid", logIndex: 7 }, transaction, block: undefined },
          block(200n, 9_000n),
          {
            confirmations,
            finalitySeconds: 0
          }
        )
      ).toEqual(confirming)
  })
})

describe.each([
  ["a cancellation", canceled, notPaid("canceled")],
  ["a use for another transfer", elsewhere, notPaid("used_otherwise")]
])("%s", (_, use, evidence) => {
  it("counts once it is confirmed and final", () => {
    expect(seen(use, block(102n, 1_060n))).toEqual(evidence)
    expect(seen(use, block(102n, 1_059n))).toEqual(unavailable)
    expect(seen(use, block(101n, 1_060n))).toEqual(unavailable)
  })

  it("counts for nothing without a block", () => {
    for (const confirmations of [0, 1])
      expect(
        evidenceOf(
          { use: use as Exclude<NonceUse, { _tag: "Absent" }>, transaction, block: undefined },
          block(200n, 9_000n),
          { confirmations, finalitySeconds: 0 }
        )
      ).toEqual(unavailable)
  })
})

it("a use that was not found leaves the outcome open, and says that there is one", () => {
  expect(useNotFound).toEqual({ _tag: "Unavailable", isUsed: true })
})
