import type { FacilitatorClient } from "../Options.ts"
import { type Scripted, scripted } from "./scripted.ts"

/*
 * A facilitator without a chain, in the wire's own words.
 */

type Verify = FacilitatorClient["verify"]
type Settle = FacilitatorClient["settle"]
type GetSupported = NonNullable<FacilitatorClient["getSupported"]>

/** A payment whose money has moved. */
export interface FakeSettlement {
  /** 32 bytes in hexadecimal; another for each settlement. */
  readonly transaction: string
  readonly payer: string | undefined
  readonly payTo: string
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
  readonly network: string
}

export interface FakeFacilitator extends FacilitatorClient {
  /** Scriptable; answers `isValid` for a nonce that has not been settled yet. Checks no signature. */
  readonly verify: Scripted<Verify>
  /** Scriptable; moves the money of each nonce once. */
  readonly settle: Scripted<Settle>
  readonly getSupported: Scripted<GetSupported>
  /** What was settled, oldest first. */
  readonly settled: ReadonlyArray<FakeSettlement>
  /** From now on every payment is invalid. */
  readonly finds: (invalidReason: string) => FakeFacilitator
  /** From now on settlement is refused before anything is sent: no money moves. */
  readonly rejects: (errorReason?: string) => FakeFacilitator
  /**
   * The next settlement has no answer, so its outcome is unknown to whoever asked; `moved` says whether
   * the money moved. What comes after is settled as usual.
   */
  readonly losesNextSettlement: (moved: boolean) => FakeFacilitator
  /** From now on settlement is broadcast but not confirmed in time: a transaction, and no success. */
  readonly leavesPending: () => FakeFacilitator
  /** From now on `verify` and `settle` wait first, in milliseconds. */
  readonly slow: (millis: number) => FakeFacilitator
  /** Back to the start: script, calls and settlements forgotten. */
  readonly reset: () => FakeFacilitator
}

type Fields = { readonly [key: string]: unknown }
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {}
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** What was signed: payer and nonce on EVM, the transaction on Solana. */
const paymentOf = (paymentPayload: unknown): { readonly key: string; readonly payer: string | undefined } => {
  const payload = fieldsOf(fieldsOf(paymentPayload)["payload"])
  const transaction = payload["transaction"]
  if (typeof transaction === "string") return { key: transaction, payer: undefined }
  const { from, nonce } = fieldsOf(payload["authorization"])
  if (typeof from !== "string" || typeof nonce !== "string") {
    throw new TypeError("the payment payload holds neither an authorization nor a transaction")
  }
  return { key: `${from}:${nonce}`.toLowerCase(), payer: from }
}

const withPayer = (payer: string | undefined) => (payer === undefined ? {} : { payer })

/**
 * A facilitator that finds every payment valid and settles it at once, each nonce once: a nonce that
 * was settled before is answered as the real one answers it, by the reverted transaction.
 *
 * @example
 * const facilitator = fakeFacilitator()
 * const till = Till.make({ ...options, facilitator })
 * facilitator.losesNextSettlement(true)   // the money moves, the answer is lost
 */
export const fakeFacilitator = (
  options: { readonly networks?: ReadonlyArray<string> } = {}
): FakeFacilitator => {
  const networks = options.networks ?? ["eip155:84532"]
  const settlements = new Map<string, FakeSettlement>()
  const settled: Array<FakeSettlement> = []
  let transactions = 0
  const nextTransaction = () => `0x${(++transactions).toString(16).padStart(64, "0")}`

  const move = (paymentPayload: unknown, paymentRequirements: unknown): Awaited<ReturnType<Settle>> => {
    const { key, payer } = paymentOf(paymentPayload)
    const requirements = fieldsOf(paymentRequirements)
    if (settlements.has(key)) {
      return {
        success: false,
        errorReason: "invalid_transaction_state",
        transaction: nextTransaction(),
        ...withPayer(payer)
      }
    }
    const settlement: FakeSettlement = {
      transaction: nextTransaction(),
      payer,
      payTo: textOf(requirements["payTo"]),
      amountAtomic: textOf(requirements["amount"] ?? requirements["maxAmountRequired"]),
      network: textOf(requirements["network"])
    }
    settlements.set(key, settlement)
    settled.push(settlement)
    return { success: true, transaction: settlement.transaction, ...withPayer(payer) }
  }

  const verify = scripted<Verify>("facilitator.verify", (paymentPayload) => {
    const { key, payer } = paymentOf(paymentPayload)
    return settlements.has(key)
      ? { isValid: false, invalidReason: "invalid_exact_evm_nonce_already_used", ...withPayer(payer) }
      : { isValid: true, ...withPayer(payer) }
  })
  const settle = scripted<Settle>("facilitator.settle", move)
  const getSupported = scripted<GetSupported>("facilitator.getSupported", () => ({
    kinds: networks.flatMap((network) =>
      [1, 2].map((x402Version) => ({ x402Version, scheme: "exact", network }))
    )
  }))

  const fake: FakeFacilitator = {
    verify,
    settle,
    getSupported,
    settled,
    finds: (invalidReason) => {
      verify.answers({ isValid: false, invalidReason })
      return fake
    },
    rejects: (errorReason = "insufficient_funds") => {
      settle.answers({ success: false, errorReason, transaction: "" })
      return fake
    },
    losesNextSettlement: (moved) => {
      settle.answersOnce((paymentPayload, paymentRequirements) => {
        if (moved) move(paymentPayload, paymentRequirements)
        throw new Error("connection reset")
      })
      return fake
    },
    leavesPending: () => {
      settle.answers(() => ({
        success: false,
        errorReason: "settlement_pending",
        transaction: nextTransaction()
      }))
      return fake
    },
    slow: (millis) => {
      verify.delays(millis)
      settle.delays(millis)
      return fake
    },
    reset: () => {
      verify.reset()
      settle.reset()
      getSupported.reset()
      settlements.clear()
      settled.length = 0
      return fake
    }
  }
  return fake
}
