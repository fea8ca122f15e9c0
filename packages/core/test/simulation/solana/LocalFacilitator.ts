import { Effect } from "effect"
import { HttpClient } from "effect/http"
import { makePaymentAdmission } from "../../../../providers/src/solana-facilitator/PaymentAdmission.ts"
import { readPayment } from "../../../../providers/src/solana-facilitator/PresentedPayment.ts"
import type { PresentedPayment } from "../../../../providers/src/solana-facilitator/PresentedPayment.ts"
import { Settling, type SettlingSettings } from "../../../../providers/src/solana-facilitator/Settling.ts"
import { makeSolanaNode } from "../../../../providers/src/solana-refunds/SolanaNode.ts"
import { makeUpstream } from "../../../../providers/src/upstream/Upstream.ts"
import type { FacilitatorClient } from "../../../src/toll/facilitator/FacilitatorOptions.ts"
import { devnet } from "../../toll/solana.ts"
import type { Link } from "../Link.ts"
import { refused, type Settled } from "../SimulatedFacilitator.ts"
import { journalOver, type WalletOptions } from "./SolanaRefundSender.ts"
import { feePayer } from "./SolanaWallets.ts"
import { readWire } from "./WireTransaction.ts"

/*
 * The facilitator in a till's own process: the production code that signs, records, sends and looks for settlements, in
 * the virtual time of its process. Only the check by the official package is left to the node's simulation: it has a
 * clock of its own.
 */

const network = devnet.caip2 as `solana:${string}`
const shortOfFunds = "insufficient_funds"

/** The default limits. */
const failures = { perPayer: 100_000n, ofStrangers: 1_000_000n }

/** `isSigned`: whether the payer has signed. */
export interface LocalFacilitatorOptions extends Omit<WalletOptions, "wallet"> {
  readonly isSigned: (payment: unknown) => boolean
}

/** The facilitator of one process. */
export const localFacilitatorOver = (
  link: Link,
  { isSigned, ...options }: LocalFacilitatorOptions
): FacilitatorClient => {
  const upstream = Effect.runSync(
    Effect.provideService(
      makeUpstream({ name: "solana-facilitator", maxConcurrent: 64, deadlineMillis: 15_000 }),
      HttpClient.HttpClient,
      options.client
    )
  )
  const node = makeSolanaNode(upstream, options.rpcUrl)
  const check = ({ wire }: Pick<PresentedPayment, "wire">) =>
    Effect.map(node.simulate(wire), ({ slot, succeeds }) => {
      const payer = readWire(Buffer.from(wire, "base64")).accounts[1]!
      return succeeds
        ? { _tag: "Valid" as const, payer, slot }
        : { _tag: "Invalid" as const, reason: "transaction_simulation_failed", payer }
    })
  const settings: SettlingSettings = {
    feePayer: feePayer.address as SettlingSettings["feePayer"],
    signer: {
      address: feePayer.address,
      sign: (message) => link.call("host.sign", () => feePayer.sign(message))
    },
    confirmTimeoutMillis: 25_000,
    pollMillis: 500
  }
  const admission = makePaymentAdmission(failures, node, check)
  const settling = new Settling(settings, node, journalOver(options, link), admission)
  const read = (payload: unknown, requirements: unknown) => {
    const reading = readPayment(payload, requirements, { caip2: network, v1Name: "solana-devnet" })
    if (reading._tag === "Read" && !isSigned(payload))
      return { _tag: "Refused", reason: "invalid_exact_svm_payload_signature_invalid" } as const
    return reading
  }
  return {
    verify: async (payload, requirements) => {
      const reading = read(payload, requirements)
      if (reading._tag === "Refused") return { isValid: false, invalidReason: reading.reason }
      const verdict = await link.run(admission.admit(reading.payment, { begins: false }))
      if (verdict._tag === "Valid") return { isValid: true, payer: verdict.payer }
      return { isValid: false, invalidReason: verdict._tag === "Short" ? shortOfFunds : verdict.reason }
    },
    settle: async (payload, requirements): Promise<Settled> => {
      const reading = read(payload, requirements)
      if (reading._tag === "Refused") return refused(reading.reason)
      // Rejects where the production code reports an open outcome: for a till it is the same.
      const result = await link.run(settling.settle(reading.payment, "till"))
      return result._tag === "Settled"
        ? { success: true, transaction: result.transaction, network, payer: result.payer }
        : { success: false, errorReason: result.reason, transaction: result.transaction }
    },
    getSupported: async () => ({
      kinds: [1, 2].map((x402Version) => ({
        x402Version,
        scheme: "exact",
        network: x402Version === 1 ? "solana-devnet" : network,
        extra: { feePayer: feePayer.address }
      }))
    })
  }
}
