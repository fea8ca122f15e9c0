import type { Secrets } from "../Secrets.ts"

/**
 * The token that opens a purchase's file: `<key id>.<HMAC of the purchase id>`. Derived, not stored: a retried payment
 * gets the same token, a stolen database opens nothing.
 *
 * @returns `undefined` where no secret has this key id
 */
export const downloadTokenOf = (
  secrets: Secrets["Service"],
  purchaseId: string,
  keyId: string
): string | undefined => {
  const digest = secrets.digest("download", purchaseId.toLowerCase(), keyId)
  return digest === undefined ? undefined : `${keyId}.${digest}`
}
