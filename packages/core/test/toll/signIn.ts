import type { PrivateKeyAccount } from "viem/accounts"
import { type SignInInfo, signInMessage } from "../../src/toll/signin/SignInChallenge.ts"
import { type Call, challengeOf, type openTill, type ReceivedResponse } from "./openTill.ts"
import { payer } from "./wallet.ts"

type Shop = Awaited<ReturnType<typeof openTill>>

interface Extensions {
  readonly extensions?: { readonly "sign-in-with-x"?: { readonly info: SignInInfo } }
}

const network = "eip155:84532"

/** The challenge for wallets in a 402, if it has one. */
export const signInOf = (response: ReceivedResponse): SignInInfo | undefined => {
  const header = Buffer.from(response.headers.get("payment-required")!, "base64").toString("utf8")
  const { extensions }: Extensions = JSON.parse(header)
  return extensions?.["sign-in-with-x"]?.info
}

/** Signs a challenge of its own for a call: the value of `SIGN-IN-WITH-X`. */
export const proofFor = async (
  shop: Shop,
  call: Call,
  account: PrivateKeyAccount = payer
): Promise<string> => {
  const info = signInOf(await shop.send(call))
  if (info === undefined) throw new Error("the 402 has no challenge for wallets")
  const signature = await account.signMessage({ message: signInMessage(info, network, account.address) })
  const proof = { ...info, address: account.address, chainId: network, type: "eip191", signature }
  return Buffer.from(JSON.stringify(proof)).toString("base64")
}

/** Presents a proof. */
export const signIn = (
  shop: Shop,
  call: Call,
  proof: string,
  from: { readonly clientAddress?: string; readonly range?: string } = {}
): Promise<ReceivedResponse> => {
  const { clientAddress, range } = from
  return shop.send(
    call,
    { "sign-in-with-x": proof, ...(range === undefined ? {} : { range }) },
    clientAddress
  )
}

/** The status of a response, or the code of its 402. */
export const outcomeOf = (response: ReceivedResponse): string =>
  response.status === 402 ? challengeOf(response).error.split(":")[0]! : String(response.status)
