import type { FacilitatorClient } from "@till402/core"
import { openHandWritten } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"

export const settlesFirst = "a hand-rolled server that settles first and works afterwards"

export const openSettlesFirst = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openHandWritten(async ({ challenge, payment, requirements, work }) => {
    if (!(await facilitator.settle(payment, requirements)).success) return challenge()
    await work()
    return undefined
  }, options)
