import type { AssistantOptions, ShopResponse } from "@till402/core"
import { languageModel } from "@till402/providers/assistant"
import { payingFetch } from "../payingFetch.ts"
import { type AnySandbox, isOnEvm } from "../NetworkChoice.ts"
import type { Paint } from "../Terminal.ts"
import type { Arguments } from "./Arguments.ts"

/** The assistant on a model server. The key comes from `MODEL_API_KEY`, so that no process list shows it. */
export const modelAssistant = ({ baseUrl, name }: NonNullable<Arguments["model"]>): AssistantOptions => {
  const apiKey = process.env["MODEL_API_KEY"]
  return languageModel({
    baseUrl,
    model: name,
    // Models on this machine take their time; the till's own deadline is 20 seconds.
    timeoutMillis: 17_000,
    deadlineMillis: 17_500,
    ...(apiKey === undefined || apiKey === "" ? {} : { apiKey })
  })
}

/** Pays from the last wallet. */
const lastWalletOf = async (sandbox: AnySandbox): Promise<typeof fetch | undefined> => {
  if (isOnEvm(sandbox)) {
    const wallet = sandbox.wallets.at(-1)
    return wallet === undefined ? undefined : payingFetch(wallet.privateKey)
  }
  const { chain, wallets } = sandbox.solana
  const { solanaPayingFetch } = await import("../solana/payingFetch.ts")
  const wallet = wallets.at(-1)
  return wallet === undefined ? undefined : solanaPayingFetch(chain, wallet.signer)
}

const message = "Wireless headphones under $60 for the train, please"

/** Pays one `shop` call from the last wallet; describes its outcome. */
export const paidReply = async (sandbox: AnySandbox, paint: Paint): Promise<string> => {
  const pay = await lastWalletOf(sandbox)
  if (pay === undefined) return "no wallet to pay with"
  const response = await pay(`${sandbox.baseUrl}/x402/shop`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message })
  })
  const text = await response.text()
  if (!response.ok) return `shop  ${response.status}  ${text}`
  const { products, reply }: ShopResponse = JSON.parse(text)
  return [
    `${paint.bold("shop")}  ${response.status}  paid  ${paint.dim(message)}`,
    reply,
    ...products.map(({ asin, currency, price, title }) => `  ${asin}  ${title}  ${price} ${currency}`)
  ].join("\n")
}
