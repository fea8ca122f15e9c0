import { describe, expect, it } from "vitest"
import { keepThreads } from "../../core/test/stores/sqlite/keptThreads.ts"
import { controls, soldOut } from "./shopWorld.ts"

keepThreads()

const refundTransaction = `0x${"ab".repeat(32)}`

/** The entries of the log that a command has written. */
const logged = (noted: string): ReadonlyArray<Record<string, unknown>> =>
  noted
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

const owed = `UPDATE till_charges SET refund_due_at = ${Date.UTC(2026, 10, 29)} WHERE operation = 'track'`

type Shop = Awaited<ReturnType<typeof soldOut>>

const statusOf = async ({ operate, order }: Shop): Promise<string> =>
  JSON.parse((await operate(["orders", "show", order.id, "--json"])).printed).status

const keyOf = async ({ operate }: Shop, operation: string): Promise<string> =>
  JSON.parse((await operate(["charges", "list", "--json"])).printed).find(
    (charge: { readonly operation: string }) => charge.operation === operation
  ).key

const changes: ReadonlyArray<readonly [verb: string, ...rest: ReadonlyArray<string>]> = [
  ["process-now"],
  ["retry"],
  ["resolve", "U-1"],
  ["mark-delivered"],
  ["cancel"],
  ["mark-refunded", refundTransaction]
]

describe("without a terminal and without --yes", () => {
  it.each(changes)("orders %s is refused with exit code 2", async (verb, ...rest) => {
    const shop = await soldOut()
    const { code, noted, printed } = await shop.operate([
      "orders",
      verb,
      shop.order.id,
      ...rest,
      "--config",
      shop.module
    ])
    expect([code, printed, logged(noted)]).toEqual([2, "", []])
    expect(noted).toContain("add --yes")
    expect(await statusOf(shop)).toBe("placed")
  })

  it.each([[["refunds", "resume"]], [["charges", "record-refund", "key", refundTransaction]]])(
    "%j is refused with exit code 2",
    async (args) => {
      const { operate, sql } = await soldOut()
      await sql("INSERT INTO till_refund_stop (id, reason, at) VALUES (1, 'audit', 1)")
      expect(await operate(args)).toMatchObject({ code: 2, noted: expect.stringContaining("add --yes") })
      expect((await operate(["refunds", "status"])).code).toBe(1)
    }
  )

  it("refunds are stopped at once, which moves nothing", async () => {
    const { operate } = await soldOut()
    expect(await operate(["refunds", "stop", "audit"])).toMatchObject({ code: 0, printed: "Done." })
    const status = await operate(["refunds", "status", "--json"])
    expect([status.code, JSON.parse(status.printed).stopped.reason]).toEqual([1, "audit"])
  })
})

describe("at a terminal", () => {
  it("cancelling shows what moves, asks, and changes nothing without a yes", async () => {
    const shop = await soldOut()
    const cancel = ["orders", "cancel", shop.order.id, "--config", shop.module, "--by", "ada"]
    for (const answer of ["", "n", "no thanks"]) {
      const declined = await shop.operate(cancel, answer)
      expect([declined.code, declined.printed, logged(declined.noted)]).toEqual([1, "", []])
      expect(declined.questions).toEqual(["Cancel and refund? [y/N] "])
      expect(declined.noted).toMatch(/^paid +\$26\.64 on Base Sepolia, by 0x\w{40}$/m)
      expect(declined.noted).toContain("its payment is refunded")
      expect(declined.noted).not.toMatch(controls)
    }
    expect(await statusOf(shop)).toBe("placed")
    const done = await shop.operate([...cancel, "--reason", "customer asked"], "y")
    expect([done.code, done.printed]).toEqual([0, "Done."])
    expect(logged(done.noted)).toMatchObject([
      {
        till402: "action",
        at: expect.stringMatching(/^20.*Z$/),
        who: "ada",
        action: "orders.cancel",
        subject: shop.order.id,
        given: { reason: "customer asked" },
        outcome: "done"
      }
    ])
    expect(await statusOf(shop)).toMatch(/^(?:cancelled|refund_due)$/)
  })

  it("resuming refunds shows how much is due", async () => {
    const { operate, sql } = await soldOut()
    await sql(owed)
    await operate(["refunds", "stop", "audit"])
    const due = await operate(["refunds", "due"])
    expect(due.printed.split("\n")).toHaveLength(3)
    const resumed = await operate(["refunds", "resume"], "yes")
    expect([resumed.code, resumed.printed]).toEqual([0, "Done."])
    expect(resumed.noted).toMatch(/^refunds +1 due, \$\d+\.\d+ together$/m)
    expect((await operate(["refunds", "status"])).code).toBe(0)
    // They are not stopped any more.
    const again = await operate(["refunds", "resume", "--yes", "--json"])
    expect([again.code, JSON.parse(again.printed).outcome]).toEqual([1, "conflict"])
  })
})

describe("an order that needs an operator", () => {
  const needing = () => soldOut("unclear")
  const change = ({ module, operate, order }: Shop, verb: string, ...rest: ReadonlyArray<string>) =>
    operate(["orders", verb, order.id, ...rest, "--config", module, "--yes"])

  it("is placed again by retry, and by nothing that its status doesn't allow", async () => {
    const shop = await needing()
    expect(await change(shop, "mark-delivered")).toMatchObject({ code: 1, printed: "" })
    expect(await change(shop, "resolve", " ")).toMatchObject({
      code: 1,
      noted: expect.stringContaining("blank")
    })
    expect(await statusOf(shop)).toBe("needs_operator")
    expect(await change(shop, "retry")).toMatchObject({ code: 0, printed: "Done." })
    expect(await statusOf(shop)).toMatch(/^(?:processing|placing|placed)$/)
  })

  it("is tracked after resolve, and its next step is taken by process-now", async () => {
    const shop = await needing()
    expect(await change(shop, "resolve", "U-1")).toMatchObject({ code: 0, printed: "Done." })
    const { status, upstreamReference } = JSON.parse(
      (await shop.operate(["orders", "show", shop.order.id, "--json"])).printed
    )
    expect([status, upstreamReference]).toEqual(["placed", "U-1"])
    // Its upstream reports no status, so there is no step.
    expect(await change(shop, "process-now")).toMatchObject({ code: 1, printed: "" })
  })

  it("that is cancelled is refunded by the transaction that an operator sent", async () => {
    const shop = await needing()
    expect(await change(shop, "cancel")).toMatchObject({ code: 0 })
    for (let step = 0; step < 20 && (await statusOf(shop)) !== "refund_due"; step++)
      await change(shop, "process-now")
    const refunded = await change(shop, "mark-refunded", refundTransaction)
    expect([refunded.code, await statusOf(shop)]).toEqual([0, "refunded"])
    expect(await shop.operate(["orders", "list", "--status", "refunded"])).toMatchObject({
      printed: expect.stringContaining(shop.order.id)
    })
  })

  it("and that doesn't exist is exit code 1, with no till started", async () => {
    const { module, operate } = await needing()
    const { code, noted } = await operate(["orders", "cancel", "none", "--config", module, "--yes"])
    expect([code, noted]).toEqual([1, "there is no order none"])
  })
})

it("a refund that was sent is recorded for a charge, once", async () => {
  const shop = await soldOut()
  await shop.sql(owed)
  const key = await keyOf(shop, "track")
  const record = ["charges", "record-refund", key, refundTransaction, "--yes", "--by", "ada"]
  const recorded = await shop.operate(record)
  expect([recorded.code, logged(recorded.noted)]).toEqual([
    0,
    [expect.objectContaining({ who: "ada", action: "charges.recordRefund", subject: key, outcome: "done" })]
  ])
  expect((await shop.operate(["charges", "show", key])).printed).toMatch(/^state +Refunded$/m)
  expect((await shop.operate(record)).code).toBe(1)
})
