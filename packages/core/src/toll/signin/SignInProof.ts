import { Option, Schema } from "effect"
import { fromBase64, toText } from "../../domain/Base64.ts"
import { equalInConstantTime, type Secrets } from "../../runtime/Secrets.ts"
import type { Refusal } from "../exact/Refusal.ts"
import { challengeMillis, knownSignIn, signInMessage, type SignInTarget } from "./SignInChallenge.ts"

/** Longest header with a proof that is read. */
const maxHeaderLength = 8_192
/** Other processes' clocks may be ahead. */
export const skewMillis = 30_000

const Proof = Schema.Struct({
  domain: Schema.String,
  address: Schema.String.pipe(Schema.check(Schema.isMaxLength(64))),
  uri: Schema.String,
  chainId: Schema.String,
  nonce: Schema.String,
  issuedAt: Schema.String,
  signature: Schema.String
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Proof))

/** A proof whose challenge is ours and still valid. Its signature isn't checked yet, nor whether its nonce was used. */
export interface WalletProof {
  /** CAIP-2. */
  readonly network: string
  readonly address: string
  readonly nonce: string
  /** What the wallet must have signed. */
  readonly message: string
  readonly signature: string
}

export type ProofReading =
  | { readonly _tag: "Proof"; readonly proof: WalletProof }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }

const refused = (code: string, message: string): ProofReading => ({
  _tag: "Refused",
  refusal: { code, message }
})

const decoded = (header: string): typeof Proof.Type | undefined => {
  if (header.length > maxHeaderLength) return undefined
  const bytes = fromBase64(header)
  return bytes === undefined ? undefined : Option.getOrUndefined(decode(toText(bytes)))
}

/** What the proofs for one resource are judged by. */
export interface ProofTerms {
  readonly secrets: Pick<Secrets["Service"], "digest">
  readonly target: SignInTarget
  /** CAIP-2 of the networks whose wallets may sign in. */
  readonly networks: ReadonlyArray<string>
  readonly nowMillis: number
}

/** Judges the times of a proof; `undefined` if they are right. */
const timeFaultOf = ({ issuedAt }: typeof Proof.Type, nowMillis: number): ProofReading | undefined => {
  const issuedAtMillis = Date.parse(issuedAt)
  if (Number.isNaN(issuedAtMillis)) return refused("invalid_siwx_issued_at", "issuedAt is no time")
  if (issuedAtMillis > nowMillis + skewMillis)
    return refused("invalid_siwx_issued_at_in_future", "issuedAt is in the future")
  if (issuedAtMillis + challengeMillis <= nowMillis)
    return refused(
      "invalid_siwx_issued_at_too_old",
      "the challenge is older than 5 minutes; sign the new one"
    )
  return undefined
}

/**
 * Reads the value of the header `SIGN-IN-WITH-X`: standard base64 of JSON. The signed message is made again from the
 * challenge, so a proof can't be for another resource, host or time. Pure.
 */
export const readProof = (
  header: string,
  { networks, nowMillis, secrets, target }: ProofTerms
): ProofReading => {
  const { uri } = target
  const proof = decoded(header)
  if (proof === undefined)
    return refused("invalid_siwx_payload", "SIGN-IN-WITH-X isn't base64 of a proof as JSON")
  if (proof.domain !== new URL(uri).host)
    return refused("invalid_siwx_domain_mismatch", "the proof was signed for another domain")
  if (!equalInConstantTime(proof.uri, uri))
    return refused("invalid_siwx_uri_mismatch", "the proof was signed for another resource")
  if (!networks.includes(proof.chainId))
    return refused("invalid_siwx_unsupported_chain", `chainId must be one of ${networks.join(", ")}`)
  const fault = timeFaultOf(proof, nowMillis)
  if (fault !== undefined) return fault
  const known = knownSignIn(secrets, target, proof)
  if (known === undefined)
    return refused("invalid_siwx_nonce", "the nonce isn't one that was issued for this resource at that time")
  const { address, chainId, nonce, signature } = proof
  const message = signInMessage(known, chainId, address)
  return { _tag: "Proof", proof: { network: chainId, address, nonce, message, signature } }
}
