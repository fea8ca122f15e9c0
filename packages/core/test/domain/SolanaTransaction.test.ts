import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import {
  maxTransactionBytes,
  readBase64Transaction,
  readTransaction,
  type TransactionReading
} from "../../src/domain/SolanaTransaction.ts"
import {
  addressOf,
  base64Of,
  feePayer,
  memo,
  paymentInstructions,
  transaction,
  transactionBytes,
  wallet
} from "../toll/solana.ts"
import { type Dice, property, shareOfRuns } from "./seeded.ts"

const reasonOf = (reading: TransactionReading): string | undefined =>
  reading._tag === "Malformed" ? reading.reason : undefined

/** Where the message starts: behind two signatures. */
const messageAt = 1 + 2 * 64

describe("a signed transaction", () => {
  it.each([0, "legacy"] as const)("of version %s is read", (version) => {
    const bytes = transactionBytes({ version, blockhash: addressOf("recent") })
    const read = transaction({ version, blockhash: addressOf("recent") })
    expect(read.accounts.slice(0, 2)).toEqual([feePayer, wallet.address])
    expect(read.blockhash).toBe(addressOf("recent"))
    expect(read.instructions).toEqual(
      paymentInstructions().map(({ accounts, data, program }) => ({
        program,
        accounts,
        data: Uint8Array.from(data)
      }))
    )
    expect(read.message).toEqual(bytes.subarray(messageAt))
    expect(read.digest).toBe(createHash("sha256").update(bytes.subarray(messageAt)).digest("hex"))
    expect(read.signatures).toEqual([new Uint8Array(64), wallet.sign(read.message)])
  })

  it("has the same digest whoever signs as fee payer", () => {
    const signed = transaction({ feePayerSignature: new Uint8Array(64).fill(9) })
    expect(signed.digest).toBe(transaction().digest)
  })

  it.each([127, 128, 129, 300])("with data of %i bytes is read", (length) => {
    const { instructions } = transaction({
      instructions: [...paymentInstructions(), memo("x".repeat(length))]
    })
    expect(instructions[4]!.data).toEqual(new Uint8Array(length).fill(120))
  })

  it("whose accounts besides the signers are all read-only is read", () => {
    const bytes = transactionBytes()
    bytes[messageAt + 3] = transaction().accounts.length - 2
    expect(readTransaction(bytes)._tag).toBe("Transaction")
    bytes[messageAt + 3]!++
    expect(reasonOf(readTransaction(bytes))).toMatch(/header doesn't fit/)
  })

  it("of the greatest length is read, and no longer one", () => {
    const withMemo = (length: number) =>
      transactionBytes({ instructions: [...paymentInstructions(), memo("x".repeat(length))] })
    const room = maxTransactionBytes - withMemo(200).length + 200
    expect(readTransaction(withMemo(room))._tag).toBe("Transaction")
    expect(reasonOf(readTransaction(withMemo(room + 1)))).toMatch(/longer than 1232 bytes/)
  })
})

describe("a malformed transaction", () => {
  const changed = (change: (bytes: Uint8Array) => void): Uint8Array => {
    const bytes = transactionBytes()
    change(bytes)
    return bytes
  }
  const set = (index: number, value: number) =>
    changed((bytes) => {
      bytes[index] = value
    })

  it.each([
    ["without bytes", new Uint8Array(), /too early/],
    ["that ends too early", transactionBytes().subarray(0, -3), /too early/],
    ["with more bytes", Uint8Array.from([...transactionBytes(), 0]), /after its end/],
    ["of a later version", set(messageAt, 0x81), /legacy or of version 0/],
    ["with another number of signers", set(messageAt + 1, 1), /header doesn't fit/],
    ["whose fee payer may not pay", set(messageAt + 2, 2), /header doesn't fit/],
    ["with more read-only accounts than accounts", set(messageAt + 3, 200), /header doesn't fit/],
    ["without a signature", set(0, 0), /legacy or of version 0|header doesn't fit/],
    [
      "with a length in a longer form than needed",
      Uint8Array.from([0x82, 0, ...transactionBytes().subarray(1)]),
      /malformed length/
    ],
    [
      "with a length of three bytes",
      Uint8Array.from([0x82, 0x80, 1, ...transactionBytes().subarray(1)]),
      /malformed length/
    ],
    [
      "that lists an account twice",
      changed((bytes) => bytes.copyWithin(messageAt + 5 + 32, messageAt + 5, messageAt + 5 + 32)),
      /lists an account twice/
    ],
    [
      "with an instruction for an account that isn't listed",
      transactionBytes({
        instructions: [{ program: addressOf("program"), accounts: [], data: [] }]
      }).map((byte, index, all) => (index === all.length - 4 ? 60 : byte)),
      /isn't listed/
    ]
  ])("%s is refused", (_, bytes, reason) => {
    expect(reasonOf(readTransaction(bytes))).toMatch(reason)
  })

  it("with a lookup table is refused, also with one that it doesn't use", () => {
    const table = [1, ...new Uint8Array(32).fill(3), 1, 0, 0]
    const unused = [1, ...new Uint8Array(32).fill(3), 0, 0]
    for (const lookups of [table, unused])
      expect(reasonOf(readTransaction(transactionBytes({ lookups })))).toMatch(/lookup tables/)
  })

  it.each([
    ["an empty text", "", /not base64/],
    ["base64 of a URL", "-_-_", /not base64/],
    ["base64 with a space", "AA A", /not base64/],
    ["base64 of one byte too many", base64Of(new Uint8Array(1233)), /longer than 1232 bytes/],
    ["base64 that is too long", "A".repeat(1648), /not base64/],
    ["base64 without padding", base64Of(transactionBytes()).replace(/=+$/, "").slice(0, -1), /not base64/]
  ])("in %s is refused", (_, text, reason) => {
    expect(reasonOf(readBase64Transaction(text))).toMatch(reason)
  })
})

/** Bytes of any kind; often those of a payment with a few of them changed. */
const anyBytes = (dice: Dice): Uint8Array => {
  const random = () => Uint8Array.from({ length: dice.below(1_400) }, () => dice.below(256))
  const mutated = () => {
    const bytes = transactionBytes({ version: dice.pick([0, "legacy"]) })
    for (let changes = dice.below(4); changes >= 0; changes--)
      bytes[dice.below(bytes.length)] = dice.pick([0, 1, 2, 0x7f, 0x80, 0xff, dice.below(256)])
    return bytes.subarray(0, dice.pick([bytes.length, bytes.length, dice.below(bytes.length)]))
  }
  return dice.pick([random, mutated, mutated, mutated])()
}

describe("any bytes", () => {
  property("give a reading, whose parts are bounded and named by the message", shareOfRuns(600), (dice) => {
    const bytes = anyBytes(dice)
    const reading = readTransaction(bytes)
    expect(readBase64Transaction(base64Of(bytes))._tag).toBe(bytes.length === 0 ? "Malformed" : reading._tag)
    if (reading._tag === "Malformed") return expect(reading.reason).not.toBe("")
    const { accounts, digest, instructions, message, signatures } = reading.transaction
    expect(digest).toBe(createHash("sha256").update(message).digest("hex"))
    expect(message.length + signatures.length * 64 + 1).toBe(bytes.length)
    expect(new Set(accounts).size).toBe(accounts.length)
    expect(signatures.length).toBeLessThanOrEqual(accounts.length)
    for (const instruction of instructions)
      for (const named of [instruction.program, ...instruction.accounts]) expect(accounts).toContain(named)
  })

  property("that are read the same have the same message", shareOfRuns(200), (dice) => {
    const bytes = transactionBytes()
    const changed = Uint8Array.from(bytes)
    changed[dice.below(bytes.length)]! ^= 1 + dice.below(255)
    const reading = readTransaction(changed)
    if (reading._tag === "Malformed") return
    const original = transaction()
    const { digest, message } = reading.transaction
    expect(digest === original.digest).toBe(Buffer.from(message).equals(original.message))
  })
})
