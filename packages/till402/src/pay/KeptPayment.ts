import { createHash } from "node:crypto"
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { CommandFailed, WrongUsage, wordsOf } from "../CommandFailed.ts"
import type { Call } from "./send.ts"
import type { Payload } from "./SignedTerms.ts"

/*
 * A signed payment in a file, from which it is sent again: another one could be charged, too.
 */

export interface KeptPayment {
  readonly url: string
  readonly method: string
  /** Of the body that it buys something with. */
  readonly bodySha256: string
  /** The offer that it pays, of a challenge of this version. */
  readonly x402Version: number
  readonly accepted: unknown
  /** The wallet's. */
  readonly address: string
  readonly rpcUrl?: string | undefined
  readonly payload: Payload
}

/** What a payment is for, as its file says it. */
export const callOf = ({ init, url }: Call): Pick<KeptPayment, "url" | "method" | "bodySha256"> => ({
  url: url.href,
  method: init.method,
  bodySha256: createHash("sha256")
    .update(init.body ?? "")
    .digest("hex")
})

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** The payment of a file for this call; `undefined` if there is no such file. */
export const readPayment = async (file: string, call: Call): Promise<KeptPayment | undefined> => {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw new CommandFailed(`the payment ${file} can't be read: ${wordsOf(error)}`)
  })
  if (text === undefined) return undefined
  let kept: Partial<KeptPayment> | null
  try {
    kept = JSON.parse(text)
  } catch {
    kept = null
  }
  const { accepted, address, bodySha256, method, payload, url } = kept ?? {}
  // Version 2 sends what was accepted, too: what is shown must be that.
  const isWhole =
    typeof payload?.payload === "object" &&
    payload.payload !== null &&
    typeof address === "string" &&
    (!("accepted" in payload) || isDeepStrictEqual(payload.accepted, accepted))
  if (!isWhole) throw new WrongUsage(`--payment ${file} is no payment that till402 pay has kept`)
  const called = callOf(call)
  if (url !== called.url || method !== called.method)
    throw new WrongUsage(`--payment ${file} is for ${method} ${url}: call that, with the same body`)
  if (bodySha256 !== called.bodySha256)
    throw new WrongUsage(`--payment ${file} is for ${method} ${url} with another body: give the same --data`)
  return kept as KeptPayment
}

/** Writes a payment to a file that only its owner reads; without a name, to one of the system's temporary folder. */
export const keepPayment = async (kept: KeptPayment, file: string | undefined): Promise<string> => {
  const place = file ?? join(await mkdtemp(join(tmpdir(), "till402-payment-")), "payment.json")
  await writeFile(place, `${JSON.stringify(kept)}\n`, { mode: 0o600, flag: "wx" }).catch((error: unknown) => {
    throw new CommandFailed(`the payment can't be kept in ${place}: ${wordsOf(error)}`)
  })
  return place
}
