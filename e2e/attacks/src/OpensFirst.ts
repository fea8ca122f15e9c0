import type { FacilitatorClient, VaultOptions } from "@till402/core"
import { openHandWritten, verifyWorkSettle } from "./HandWritten.ts"
import type { NaiveServer } from "./NaiveShop.ts"

export const opensFirst = "a hand-written vault that opens the archive of each sale before it is paid"

export const openOpensFirst = (
  facilitator: FacilitatorClient,
  { open }: Pick<VaultOptions, "open">
): NaiveServer =>
  openHandWritten(async (request) => {
    await open({ slug: "launch-plan" }, { signal: request.context.req.raw.signal })
    return verifyWorkSettle(facilitator, request)
  })
