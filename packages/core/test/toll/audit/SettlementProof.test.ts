import { describe, expect, it } from "vitest"
import type { ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import { isRecordedTransfer, proveSettlement } from "../../../src/toll/audit/SettlementProof.ts"

const transaction = "0xab"
const entry = { transaction, transferLogIndex: 3 }
const charge = { awaitsFinality: false, validBeforeSeconds: 1_000 }
const moved: ChainEvidence = { _tag: "Moved", transaction, logIndex: 3, atSeconds: 900, isFinal: true }
const open = { _tag: "Open" }
const fault = { _tag: "Fault", fault: expect.stringMatching(/\w/) as string }
const canceled: ChainEvidence = { _tag: "NotPaid", reason: "canceled" }

describe("a settlement of the ledger", () => {
  it.each<readonly [string, ChainEvidence, unknown]>([
    ["is proven by its transfer", moved, { _tag: "Proven", transaction, logIndex: 3, atSeconds: 900 }],
    ["is contradicted by another transfer", { ...moved, logIndex: 4 }, fault],
    ["is contradicted by another transaction", { ...moved, transaction: "0xcd" }, fault],
    ["is contradicted by a nonce that paid nothing", canceled, fault],
    ["is open while its authorization is valid", { _tag: "NotMoved", chainTimeSeconds: 999 }, open],
    ["is contradicted once it has expired unused", { _tag: "NotMoved", chainTimeSeconds: 1_000 }, fault],
    ["is open until its transfer is confirmed", { _tag: "Confirming", transaction }, open],
    ["is open while the chain can't be read", { _tag: "Unavailable" }, open]
  ])("%s", (_, evidence, proof) => {
    expect(proveSettlement(entry, charge, evidence)).toEqual(proof)
  })

  it("is open while a reorganization could undo it, whatever the chain shows", () => {
    for (const evidence of [moved, canceled])
      expect(proveSettlement(entry, { ...charge, awaitsFinality: true }, evidence)).toEqual(open)
  })
})

describe("a recorded transfer", () => {
  const proven = { transaction: "0xAB", logIndex: 3 }
  it.each([
    ["in other letters", { transaction: "0xab", transferLogIndex: 3 }, true],
    ["of the same letters", { transaction: "0xAB", transferLogIndex: 3 }, true],
    ["that only a facilitator reported", { transaction: "0xcd", transferLogIndex: undefined }, true],
    ["of another index", { transaction: "0xab", transferLogIndex: 0 }, false],
    ["of another transaction", { transaction: "0xcd", transferLogIndex: 3 }, false],
    ["without a transaction", { transaction: undefined, transferLogIndex: 3 }, false]
  ])("%s", (_, recorded, isSame) => {
    expect(isRecordedTransfer(recorded, proven)).toBe(isSame)
  })
})
