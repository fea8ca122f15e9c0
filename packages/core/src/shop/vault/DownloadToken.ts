import { equalInConstantTime, type Secrets } from "../../runtime/Secrets.ts"

/**
 * Derives the token for a purchase's file: `<key id>.<HMAC of the purchase id>`. It isn't stored: a retried payment
 * gets the same token, and a stolen database contains none.
 *
 * @returns `undefined` if no secret has this key id
 */
export const downloadTokenOf = (
  secrets: Secrets["Service"],
  purchaseId: string,
  keyId: string
): string | undefined => {
  const digest = secrets.digest("download", purchaseId.toLowerCase(), keyId)
  return digest === undefined ? undefined : `${keyId}.${digest}`
}

/** The id of the key that a token says it is derived from. */
export const keyIdOfToken = (downloadToken: string): string => downloadToken.split(".")[0]!

/** Whether a text is the token of a purchase. Compares in constant time. */
export const isDownloadToken = (
  secrets: Secrets["Service"],
  purchaseId: string,
  downloadToken: string
): boolean => {
  const due = downloadTokenOf(secrets, purchaseId, keyIdOfToken(downloadToken))
  return due !== undefined && equalInConstantTime(due, downloadToken)
}
