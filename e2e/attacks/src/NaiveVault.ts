import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { FacilitatorClient } from "@till402/core"
import { Hono } from "hono"
import { challengeOf } from "./NaiveShop.ts"
import { type Payment, paymentOf } from "./Payments.ts"

export const naiveVault =
  "a hand-written vault that keeps files by slug, counts its purchases, and lets payments resume without limits"

/** A vault as a first version has it: its purchases are numbers, and each has a slug. */
export const openNaiveVault = (
  facilitator: FacilitatorClient,
  folder: string,
  purchases: ReadonlyArray<string>
) => {
  const paid = new Set<string>()
  /** Bytes of files that were read into memory. */
  let bytesRead = 0
  const settle = async (payment: Payment): Promise<boolean> => {
    const { signature } = payment.payload
    if (paid.has(signature)) return true
    const { success } = await facilitator.settle(payment, payment.accepted)
    if (success) paid.add(signature)
    return success
  }
  const app = new Hono()
  app.get("/x402/vault/download/:number", async ({ body, req }) => {
    const header = req.header("payment-signature")
    if (header === undefined || !(await settle(paymentOf(header)))) return challengeOf(req.path, 10_000n)
    const slug = purchases[Number(req.param("number"))]
    if (slug === undefined) return body("No such purchase", 404)
    const bytes = await readFile(join(folder, slug))
    bytesRead += bytes.length
    const start = Number(/^bytes=(\d+)-/.exec(req.header("range") ?? "")?.[1] ?? 0)
    return body(new Uint8Array(bytes.subarray(start)), start === 0 ? 200 : 206)
  })
  return { fetch: async (request: Request) => app.fetch(request), bytesRead: () => bytesRead }
}
