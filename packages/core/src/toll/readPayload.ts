import type { Authorization, ExactEvmPayload, PaymentPayload } from "../domain/PaymentPayload.ts"

/*
 * The schema `PaymentPayload`, written out: every paid call decodes one, and this takes a tenth of the
 * time. A test holds it to the schema with generated documents.
 */

type Document = { readonly [key: string]: unknown }

const isDocument = (value: unknown): value is Document =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const address = /^0x[0-9a-fA-F]{40}$/
const nonce32 = /^0x[0-9a-fA-F]{64}$/
const uint256 = /^(?:0|[1-9]\d{0,77})$/
const hexBytes = /^0x[0-9a-fA-F]+$/
const maxNameLength = 100
const maxUrlLength = 4096
/** `0x` and two digits for each byte of an ordinary signature, and of the longest that is taken. */
const minSignatureLength = 2 + 2 * 65
const maxSignatureLength = 2 + 2 * 4096

const isText = (value: unknown, pattern: RegExp): value is string =>
  typeof value === "string" && pattern.test(value)
const isName = (value: unknown): value is string => typeof value === "string" && value.length <= maxNameLength

const isSignature = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length >= minSignatureLength &&
  value.length <= maxSignatureLength &&
  value.length % 2 === 0 &&
  hexBytes.test(value)

const readAuthorization = (value: unknown): Authorization | undefined => {
  if (!isDocument(value)) return undefined
  const { from, nonce, to, validAfter, validBefore, value: amount } = value
  return isText(from, address) &&
    isText(to, address) &&
    isText(amount, uint256) &&
    isText(validAfter, uint256) &&
    isText(validBefore, uint256) &&
    isText(nonce, nonce32)
    ? { from, to, value: amount, validAfter, validBefore, nonce }
    : undefined
}

const readExactEvm = (value: unknown): ExactEvmPayload | undefined => {
  if (!isDocument(value)) return undefined
  const { signature } = value
  const authorization = readAuthorization(value["authorization"])
  return authorization !== undefined && isSignature(signature) ? { signature, authorization } : undefined
}

const readV1 = (document: Document): PaymentPayload | undefined => {
  const { network, scheme } = document
  const payload = readExactEvm(document["payload"])
  return payload !== undefined && isName(scheme) && isName(network)
    ? { x402Version: 1, scheme, network, payload }
    : undefined
}

const readV2 = (document: Document): PaymentPayload | undefined => {
  const { accepted, resource } = document
  const payload = readExactEvm(document["payload"])
  if (payload === undefined || !isDocument(accepted)) return undefined
  const { amount, asset, extra, network, payTo, scheme } = accepted
  if (
    !(isName(scheme) && isName(network) && isText(amount, uint256) && isName(asset) && isName(payTo)) ||
    ("extra" in accepted && !isDocument(extra)) ||
    ("resource" in document && !isDocument(resource))
  ) {
    return undefined
  }
  const taken = { scheme, network, amount, asset, payTo }
  const common = {
    x402Version: 2,
    accepted: isDocument(extra) ? { ...taken, extra } : taken,
    payload
  } as const
  if (!isDocument(resource)) return common
  const { url } = resource
  return typeof url === "string" && url.length <= maxUrlLength ? { ...common, resource: { url } } : undefined
}

/** A payment's document as a payload; `undefined` where it is none that the schema takes. Total. */
export const readPayload = (document: unknown): PaymentPayload | undefined => {
  if (!isDocument(document)) return undefined
  switch (document["x402Version"]) {
    case 1:
      return readV1(document)
    case 2:
      return readV2(document)
    default:
      return undefined
  }
}
