import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * Whether a webhook is genuine and fresh.
 *
 * @param {Buffer | string} body       the raw body, before any JSON parser
 * @param {string} header              "t=1767225600,v1=<hex>", several v1 while a secret is rotated
 * @param {string} secret
 * @param {number} nowSeconds
 */
export const isGenuine = (body, header, secret, nowSeconds = Date.now() / 1000) => {
  const parts = header.split(",").map((part) => part.trim().split("="))
  const timestamp = parts.find(([name]) => name === "t")?.[1]
  if (timestamp === undefined || !(Math.abs(nowSeconds - Number(timestamp)) <= 300)) return false
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest()
  return parts
    .filter(([name, value]) => name === "v1" && /^[0-9a-f]{64}$/.test(value ?? ""))
    .some(([, value]) => timingSafeEqual(Buffer.from(value, "hex"), expected))
}
