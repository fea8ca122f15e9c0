import type { FakeFacilitator } from "@till402/testing"
import type { PrivateKeyAccount } from "viem/accounts"
import { expect } from "vitest"
import { calls } from "./Calls.ts"
import type { Visitor } from "./Visitor.ts"

/** Of an attacker: new to the server, or known there by an earlier payment. */
export type Standing = "new" | "known"

export const standings: ReadonlyArray<Standing> = ["new", "known"]

/**
 * Gives the payer a standing: to become known, they pay for a search of the vault, which calls no upstream. A fake
 * facilitator forgets that.
 */
export const introduce = async (
  visitor: Visitor,
  standing: Standing,
  facilitator?: FakeFacilitator,
  account?: PrivateKeyAccount
): Promise<void> => {
  if (standing === "new") return
  const paid = await visitor.present(
    calls.vaultSearch,
    await visitor.payFor(calls.vaultSearch, account === undefined ? {} : { account })
  )
  expect(paid.status, paid.text).toBe(200)
  facilitator?.reset()
}
