import { Schema } from "effect"
import type { PaymentRequirements } from "../../domain/PaymentRequired.ts"
import { plainHex } from "../../domain/Hex.ts"
import { isSolanaAddress } from "../../domain/SolanaAddress.ts"
import { isTransactionIdOn } from "../../domain/transactionId.ts"
import {
  definiteRefusals,
  type FacilitatorRequest,
  type Settlement,
  type SupportedKind,
  type Verification
} from "./FacilitatorVerdicts.ts"
import { findNetwork } from "../../domain/Network.ts"

/*
 * Requests and responses of `/verify`, `/settle` and `/supported`, over HTTP or in the same process.
 */

/** A payment and its requirements, as a facilitator receives them. */
export interface WireRequest {
  readonly paymentPayload: Readonly<Record<string, unknown>>
  readonly paymentRequirements: Readonly<Record<string, unknown>>
}

/**
 * Writes the payment anew around what the payer signed. A facilitator lists what it finds in a payment in its public
 * catalogue, and a payer could have written anything there.
 */
export const wireRequest = (request: FacilitatorRequest): WireRequest => {
  const { payload, resource, x402Version } = request
  const extra = listedExtra(request.requirements.extra)
  if (x402Version === 1) return version1({ ...request.requirements, extra }, request)
  const requirements = { ...request.requirements, extra }
  const { description, extensions, mimeType, service, url } = resource
  const paymentPayload = {
    x402Version,
    resource: { url, description, mimeType, ...service },
    accepted: requirements,
    payload,
    ...(extensions === undefined ? {} : { extensions })
  }
  return { paymentPayload, paymentRequirements: requirements }
}

/**
 * The body of a call. The description of the operation, some 2 KB that all its calls share, is written once, and stands
 * last in its part.
 */
export const wireJson = (request: FacilitatorRequest): string => {
  const { paymentPayload, paymentRequirements } = wireRequest(request)
  const payment = jsonWithShared(paymentPayload, "extensions")
  const requirements = jsonWithShared(paymentRequirements, "outputSchema")
  return `{"x402Version":${request.x402Version},"paymentPayload":${payment},"paymentRequirements":${requirements}}`
}

const written = new WeakMap<object, string>()

const jsonWithShared = (part: Readonly<Record<string, unknown>>, name: string): string => {
  const { [name]: shared, ...own } = part
  if (typeof shared !== "object" || shared === null) return JSON.stringify(part)
  let json = written.get(shared)
  if (json === undefined) {
    json = JSON.stringify(shared)
    written.set(shared, json)
  }
  return `${JSON.stringify(own).slice(0, -1)},"${name}":${json}}`
}

const version1 = (
  requirements: PaymentRequirements,
  { payload, resource }: FacilitatorRequest
): WireRequest => {
  const { amount, asset, extra, maxTimeoutSeconds, payTo, scheme } = requirements
  const network = findNetwork(requirements.network)?.v1Name ?? requirements.network
  const { description, mimeType, outputSchema, url } = resource
  return {
    paymentPayload: { x402Version: 1, scheme, network, payload },
    paymentRequirements: {
      scheme,
      network,
      maxAmountRequired: amount,
      resource: url,
      description,
      mimeType,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      payTo,
      maxTimeoutSeconds,
      asset,
      extra
    }
  }
}

/** The fields of `extra` by which facilitators check a payment. Those of a quote tell what was bought. */
const protocolFields: ReadonlySet<string> = new Set(["name", "version", "feePayer", "memo", "paymentFlow"])

const listedExtra = (extra: PaymentRequirements["extra"]): PaymentRequirements["extra"] => {
  const isListed = (name: string): boolean => protocolFields.has(name)
  const names = Object.keys(extra)
  if (names.every(isListed)) return extra
  return Object.fromEntries(names.filter(isListed).map((name) => [name, extra[name]!]))
}

const optional = Schema.optionalKey(Schema.NullishOr(Schema.String))

export const VerifyResponse = Schema.Struct({
  isValid: Schema.Boolean,
  invalidReason: optional,
  payer: optional
})

export const SettleResponse = Schema.Struct({
  success: Schema.Boolean,
  errorReason: optional,
  transaction: optional,
  network: optional,
  payer: optional,
  /** Id of a pending payment, by which `/status` reports it. */
  paymentId: optional
})

export const SupportedResponse = Schema.Struct({
  kinds: Schema.Array(
    Schema.Struct({
      x402Version: Schema.Finite,
      scheme: Schema.String,
      network: Schema.String,
      extra: Schema.optionalKey(Schema.NullishOr(Schema.Record(Schema.String, Schema.Unknown)))
    })
  ),
  signers: Schema.optionalKey(Schema.NullishOr(Schema.Record(Schema.String, Schema.Array(Schema.String))))
})

/** A reason that is safe to show: a protocol code, never the facilitator's free text, an address or a nonce. */
export const reasonCode = (reason: string | null | undefined, fallback: string): string =>
  typeof reason === "string" && /^(?!0x)[a-z0-9_]{1,80}$/i.test(reason) ? reason : fallback

export const toVerification = (response: typeof VerifyResponse.Type): Verification =>
  response.isValid
    ? { _tag: "Valid", payer: response.payer ?? undefined }
    : { _tag: "Invalid", reason: reasonCode(response.invalidReason, "invalid_payment") }

/** Whether a settlement names a network other than the payment's. */
const isElsewhere = (network: string | null | undefined, { requirements }: FacilitatorRequest): boolean =>
  typeof network === "string" &&
  network !== requirements.network &&
  network !== findNetwork(requirements.network)?.v1Name

/** Reason of a settlement whose transaction is on another chain. */
export const elsewhere = "settled_on_another_network"

export const toSettlement = (
  response: typeof SettleResponse.Type,
  request: FacilitatorRequest
): Settlement => {
  if (isElsewhere(response.network, request))
    return { _tag: "Unknown", reason: elsewhere, transaction: undefined }
  const named = response.transaction ?? ""
  // Receipts and the ledger hold it: only a transaction's hash is accepted, on Solana its ID.
  const transaction = isTransactionIdOn(request.requirements.network, named) ? plainHex(named) : undefined
  if (response.success) {
    return transaction === undefined
      ? { _tag: "Unknown", reason: "settled_without_transaction", transaction }
      : { _tag: "Settled", transaction, payer: response.payer ?? undefined }
  }
  const reason = reasonCode(response.errorReason, "unexpected_settle_error")
  // With a transaction hash, something was sent, whatever the reason is.
  return definiteRefusals.has(reason) && named === ""
    ? { _tag: "Rejected", reason }
    : { _tag: "Unknown", reason, transaction }
}

/** The outcome of a settlement without a usable response. */
export const unreachableSettlement = (reason: string): Settlement => ({
  _tag: "Unknown",
  reason,
  transaction: undefined,
  isUnreachable: true
})

/** Signers are listed by CAIP-2 network, or for all networks of a family: `solana:*`. */
const signersOf = (network: string, { signers }: typeof SupportedResponse.Type): ReadonlyArray<string> => {
  const caip2 = findNetwork(network)?.caip2 ?? network
  const family = `${caip2.slice(0, caip2.indexOf(":"))}:*`
  return [...(signers?.[caip2] ?? []), ...(signers?.[family] ?? [])]
}

/** Fee payers that are read: a facilitator has a few. */
const maxFeePayers = 32

export const toKinds = (response: typeof SupportedResponse.Type): ReadonlyArray<SupportedKind> =>
  response.kinds.map(({ extra, network, scheme, x402Version }) => {
    const kind = { x402Version, scheme, network }
    const feePayer = extra?.["feePayer"]
    if (typeof feePayer !== "string" || !isSolanaAddress(feePayer)) return kind
    const signers = signersOf(network, response).filter((signer) => isSolanaAddress(signer))
    const feePayers = Array.from(new Set([feePayer, ...signers])).slice(0, maxFeePayers)
    return { ...kind, feePayers }
  })
