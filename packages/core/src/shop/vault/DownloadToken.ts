import { equalInConstantTime, type Secrets } from "../../runtime/Secrets.ts"
import type { VaultPurchase } from "../ports/VaultPurchases.ts"

/**
 * Derives a token for a purchase's file: `<key id>.<HMAC of the purchase id>`, and after the first one
 * `<key id>.<number>.<HMAC of both>`. It isn't stored: a retried payment gets the same token, and a stolen database
 * contains none.
 *
 * @returns `undefined` if no secret has this key id
 */
export const downloadTokenOf = (
  secrets: Secrets["Service"],
  purchaseId: string,
  keyId: string,
  number = 0
): string | undefined => {
  const id = purchaseId.toLowerCase()
  const digest = secrets.digest("download", number === 0 ? id : `${id} ${number}`, keyId)
  if (digest === undefined) return undefined
  return number === 0 ? `${keyId}.${digest}` : `${keyId}.${number}.${digest}`
}

/** The id of the key that a token says it is derived from. */
export const keyIdOfToken = (downloadToken: string): string => downloadToken.split(".")[0]!

/** The number of a token of a purchase; `undefined` if the text is none. Compares in constant time. */
export const numberOfToken = (
  secrets: Secrets["Service"],
  purchaseId: string,
  downloadToken: string
): number | undefined => {
  const [, second = "", ...others] = downloadToken.split(".")
  const number = others.length === 0 ? 0 : /^[1-9]\d{0,8}$/.test(second) ? Number(second) : undefined
  if (number === undefined) return undefined
  const due = downloadTokenOf(secrets, purchaseId, keyIdOfToken(downloadToken), number)
  return due !== undefined && equalInConstantTime(due, downloadToken) ? number : undefined
}

/** Whether a text is the current token of a purchase. A new one ends those before it. */
export const isDownloadToken = (
  secrets: Secrets["Service"],
  { id, tokenNumber }: Pick<VaultPurchase, "id" | "tokenNumber">,
  downloadToken: string
): boolean => numberOfToken(secrets, id, downloadToken) === tokenNumber
