import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CommandFailed, WrongUsage, wordsOf } from "../CommandFailed.ts"
import type { Call } from "./send.ts"
import type { Payload } from "./SignedTerms.ts"

/*
 * A signed payment in a file, from which it is sent again: another one could be charged, too.
 */

export interface KeptPayment {
  readonly url: string
  readonly method: string
  /** The offer that it pays, of a challenge of this version. */
  readonly x402Version: number
  readonly accepted: unknown
  /** The wallet's. */
  readonly address: string
  readonly rpcUrl?: string | undefined
  readonly payload: Payload
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** The payment of a file for this call; `undefined` if there is no such file. */
export const readPayment = async (file: string, { init, url }: Call): Promise<KeptPayment | undefined> => {
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
  const { address, method, payload, url: called } = kept ?? {}
  if (typeof payload !== "object" || payload === null || typeof address !== "string")
    throw new WrongUsage(`--payment ${file} is no payment that till402 pay has kept`)
  if (called !== url.href || method !== init.method)
    throw new WrongUsage(`--payment ${file} is for ${method} ${called}: call that, with the same body`)
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
