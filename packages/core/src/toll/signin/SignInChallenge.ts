import { bytesToHex } from "@noble/hashes/utils"
import { Result } from "effect"
import { Base64Url } from "effect/encoding"
import { isSolana } from "../../domain/Network.ts"
import { equalInConstantTime, type Secrets } from "../../runtime/Secrets.ts"

/*
 * The extension `sign-in-with-x` of x402: a wallet signs a message of CAIP-122, without paying.
 * https://github.com/x402-foundation/x402/blob/main/specs/extensions/sign-in-with-x.md
 */

/** Key of the extension in a 402, and name of the header with the proof. */
export const signInWithX = "sign-in-with-x"

/** 16 hexadecimal digits for a challenge. */
export const randomHex = (): string => bytesToHex(crypto.getRandomValues(new Uint8Array(8)))

/** A challenge can be signed and presented for this long. */
export const challengeMillis = 5 * 60_000

/** What a wallet signs, besides its address and chain. Times are ISO 8601. */
export interface SignInInfo {
  readonly domain: string
  readonly uri: string
  readonly statement: string
  readonly version: "1"
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime: string
}

type Digests = Pick<Secrets["Service"], "digest">

const hexOf = (base64Url: string): string => {
  const bytes = Base64Url.decode(base64Url)
  return Result.isSuccess(bytes) ? bytesToHex(bytes.success) : ""
}

/**
 * The half of a nonce that only this till can make: so challenges needn't be stored, and no nonce is valid for another
 * address or another time.
 */
const markOf = (secrets: Digests, random: string, uri: string, issuedAt: string): string =>
  hexOf(secrets.digest("sign-in", `${random}\n${uri}\n${issuedAt}`)!).slice(0, 16)

/** What wallets sign in to, and the words in which they are asked to. */
export interface SignInTarget {
  /** The resource's address, as the 402 names it. */
  readonly uri: string
  readonly statement: string
}

/** What a wallet signs for a resource, with a nonce. */
const infoOf = ({ statement, uri }: SignInTarget, nonce: string, issuedAtMillis: number): SignInInfo => ({
  domain: new URL(uri).host,
  uri,
  statement,
  version: "1",
  nonce,
  issuedAt: new Date(issuedAtMillis).toISOString(),
  expirationTime: new Date(issuedAtMillis + challengeMillis).toISOString()
})

/**
 * Makes a challenge for a resource.
 *
 * @param random 16 hexadecimal digits that nobody can guess
 */
export const makeSignIn = (
  secrets: Digests,
  target: SignInTarget,
  { nowMillis, random }: { readonly nowMillis: number; readonly random: string }
): SignInInfo => {
  const issuedAt = new Date(nowMillis).toISOString()
  return infoOf(target, random + markOf(secrets, random, target.uri, issuedAt), nowMillis)
}

/** The challenge that this till has made with this nonce; `undefined` if it made none for this resource and time. */
export const knownSignIn = (
  secrets: Digests,
  target: SignInTarget,
  { issuedAt, nonce }: Pick<SignInInfo, "issuedAt" | "nonce">
): SignInInfo | undefined => {
  if (!/^[0-9a-f]{32}$/.test(nonce)) return undefined
  const random = nonce.slice(0, 16)
  return equalInConstantTime(nonce, random + markOf(secrets, random, target.uri, issuedAt))
    ? infoOf(target, nonce, Date.parse(issuedAt))
    : undefined
}

/** All of it is text: a header has no room to say so of each field. */
const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: [
    "domain",
    "address",
    "uri",
    "version",
    "chainId",
    "type",
    "nonce",
    "issuedAt",
    "expirationTime",
    "signature"
  ]
}

/** The extension as a 402 offers it, for wallets of these networks (CAIP-2). */
export const signInExtension = (info: SignInInfo, networks: ReadonlyArray<string>) => ({
  [signInWithX]: {
    info,
    supportedChains: networks.map((chainId) => ({
      chainId,
      type: isSolana(chainId) ? "ed25519" : "eip191"
    })),
    schema
  }
})

/** The message that a wallet signs: EIP-4361, and the same for Solana. */
export const signInMessage = (info: SignInInfo, chainId: string, address: string): string => {
  const chain = isSolana(chainId) ? "Solana" : "Ethereum"
  return [
    `${info.domain} wants you to sign in with your ${chain} account:`,
    address,
    "",
    info.statement,
    "",
    `URI: ${info.uri}`,
    `Version: ${info.version}`,
    `Chain ID: ${chainId.slice(chainId.indexOf(":") + 1)}`,
    `Nonce: ${info.nonce}`,
    `Issued At: ${info.issuedAt}`,
    `Expiration Time: ${info.expirationTime}`
  ].join("\n")
}
