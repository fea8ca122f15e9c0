import { Hono } from "hono"
import { type Hex, verifyMessage } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { createSiweMessage } from "viem/siwe"
import { type Call, network, type ReceivedResponse } from "./Calls.ts"
import { challengeOf } from "./NaiveShop.ts"
import { readHeader } from "./Payments.ts"
import type { Visitor } from "./Visitor.ts"

/*
 * Proofs of wallets by the extension `sign-in-with-x`, written from its specification: an honest client refuses to sign
 * most of these.
 */

/** What a wallet signs, besides its address and chain. */
export interface SignInInfo {
  readonly domain: string
  readonly uri: string
  readonly statement?: string
  readonly version: string
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime?: string
}

interface Extensions {
  readonly extensions?: { readonly "sign-in-with-x"?: { readonly info: SignInInfo } }
}

/** The challenge of a 402. */
export const challengeIn = (response: ReceivedResponse): SignInInfo => {
  const { extensions } = readHeader<Extensions>(response.headers, "payment-required")
  const extension = extensions?.["sign-in-with-x"]
  if (extension === undefined) throw new Error("the 402 has no challenge for wallets")
  return extension.info
}

/** The header of a proof. `claimed`: the address that it names, if it isn't that of the signer. */
export const proofOf = async (
  info: SignInInfo,
  account: PrivateKeyAccount,
  claimed: Hex = account.address
): Promise<string> => {
  const { domain, expirationTime, issuedAt, nonce, statement, uri } = info
  const message = createSiweMessage({
    address: claimed,
    chainId: Number(network.split(":")[1]),
    domain,
    uri,
    nonce,
    version: "1",
    issuedAt: new Date(issuedAt),
    ...(statement === undefined ? {} : { statement }),
    ...(expirationTime === undefined ? {} : { expirationTime: new Date(expirationTime) })
  })
  const signature = await account.signMessage({ message })
  const proof = { ...info, address: claimed, chainId: network, type: "eip191", message, signature }
  return Buffer.from(JSON.stringify(proof)).toString("base64")
}

export const presentProof = (visitor: Visitor, call: Call, proof: string): Promise<ReceivedResponse> =>
  visitor.send(call, { "sign-in-with-x": proof })

export const naiveSignIn =
  "a hand-written vault that checks the signature of a wallet, and nothing else of its proof"

/** A vault whose purchases are numbers: it believes what a proof says, if it is signed. */
export const openNaiveSignIn = (goods: ReadonlyArray<string>) => {
  const app = new Hono()
  app.get("/x402/vault/download/:number", async ({ body, req }) => {
    const header = req.header("sign-in-with-x")
    if (header === undefined) return challengeOf(req.path, 10_000n)
    const { address, message, signature } = JSON.parse(Buffer.from(header, "base64").toString())
    const content = goods[Number(req.param("number"))]
    if (content === undefined) return body("No such purchase", 404)
    return (await verifyMessage({ address, message, signature })) ? body(content) : body("Not signed", 403)
  })
  return { fetch: async (request: Request) => app.fetch(request) }
}
