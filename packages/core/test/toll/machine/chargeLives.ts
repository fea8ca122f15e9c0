import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ChargeEvent, ChargeFacts, ChargeStep, Plan } from "../../../src/toll/machine/ChargeStep.ts"
import { leaseLengthMillis } from "../../../src/toll/perform/LeaseLength.ts"
import { queryMillis } from "../../../src/toll/perform/queryChain.ts"
import { endless, isFinal, type Path, walk } from "./chargePaths.ts"

/*
 * The machine is small enough to be walked through whole: every event that any step can have, in every
 * order, for every kind of charge, with every fact. What must never happen is looked for on each path.
 */

/** A charge that was reopened after its refund was sent, as it was taken over or as it is reopened. */
const isReopenedRefund = (event: ChargeEvent): boolean =>
  event._tag === "Taken"
    ? event.charge.state !== "settled" && event.charge.refund !== undefined
    : event._tag === "Reopened" && event.isRefunded

const named = ({ by, canReadChain, proofRequired, workIsDue }: ChargeFacts): string =>
  `${by}${canReadChain ? ", chain readable" : ""}${proofRequired ? ", proof required" : ""}${workIsDue ? ", work due" : ""}`

const startOf = ({ by }: ChargeFacts): Plan =>
  by === "call" ? [{ _tag: "Find" }] : [{ _tag: "TakeOver" }, { _tag: "End", ending: { _tag: "Closed" } }]

const tagsOf = ({ steps }: Path): ReadonlyArray<ChargeStep["_tag"]> => steps.map(({ _tag }) => _tag)
const count = (path: Path, tag: ChargeStep["_tag"]): number =>
  tagsOf(path).filter((other) => other === tag).length

const showsMoney = (event: ChargeEvent | undefined, facts: ChargeFacts): boolean =>
  (event?._tag === "Seen" && event.evidence._tag === "Moved") ||
  (event?._tag === "Settled" &&
    event.settlement._tag === "Settled" &&
    !(facts.proofRequired && facts.canReadChain))

const movedBeforeClaim = (event: ChargeEvent | undefined): boolean =>
  event?._tag === "Seen" && event.evidence._tag === "Moved" && event.evidence.precedesClaim === true

const words = (path: Path): string => tagsOf(path).join(" → ")

/** Reports only failures: there are many paths. */
const holds = (isTrue: boolean, path: Path): void => {
  if (!isTrue) throw new Error(words(path))
}

/** Tests what holds on every path of these kinds of charges, or on one of so many. */
export const testLives = (kinds: ReadonlyArray<ChargeFacts>, oneOf = 1): void =>
  describe.each(kinds.map((facts) => [named(facts), facts] as const))("%s", (_, facts) => {
    // Walked when its tests begin: to keep the paths of all kinds costs more than to walk them.
    let paths: Array<Path> = []
    beforeAll(() => {
      let walked = 0
      walk(startOf(facts), facts, (path) => {
        if (walked++ % oneOf === 0) paths.push(path)
      })
    })
    afterAll(() => {
      paths = []
    })

    it("is walked through", () => {
      expect(paths.length).toBeGreaterThan(10)
      expect(paths.length).toBeLessThan(1_000_000)
    })

    it("no lease ends before the longest steps under it", () => {
      const deadlines = { settleMillis: 60_000, workMillis: 40_000 }
      const longest: Partial<Record<ChargeStep["_tag"], number>> = {
        CheckFunds: 15_500,
        QueryChain: queryMillis,
        Settle: deadlines.settleMillis,
        Work: deadlines.workMillis
      }
      for (const path of paths) {
        let underLease = 0
        path.steps.forEach((step, index) => {
          underLease += longest[step._tag] ?? 0
          holds(underLease < leaseLengthMillis({ ...deadlines, readsChain: true }), path)
          // A lease begins.
          const event = path.events[index]
          if (event?._tag === "Taken" || event?._tag === "Claimed") underLease = 0
        })
      }
    })

    it("a charge is completed only on what shows that its money moved", () => {
      for (const path of paths)
        path.steps.forEach((step, index) => {
          if (step._tag !== "Complete") return
          const shown =
            path.events[index - 1]?._tag === "Reopened" ? path.events[index - 2] : path.events[index - 1]
          holds(showsMoney(shown, facts), path)
        })
    })

    it("a transfer from before the claim completes nothing, refunds included", () => {
      for (const path of paths)
        path.events.forEach((event, index) => {
          const step = path.steps[index]
          if (!movedBeforeClaim(event) || step?._tag !== "QueryChain") return
          // A charge that was settled had not moved at its claim: for it, the chain isn't asked.
          if (step.query._tag === "Finality") return
          holds(path.steps[index + 1]?._tag !== "Complete", path)
        })
    })

    it("a payment that may have moved is never refused, nor its charge let go", () => {
      for (const path of paths) {
        path.steps.forEach((step, index) => {
          if (step._tag !== "Void" && step._tag !== "Release") return
          const settle = path.steps.findLastIndex(({ _tag }, at) => at < index && _tag === "Settle")
          if (settle < 0) return
          const tried = path.steps[settle]!
          const response = path.events[settle]!
          const definite =
            tried._tag === "Settle" &&
            tried.first &&
            response._tag === "Settled" &&
            response.settlement._tag === "Rejected"
          const since = path.events.slice(settle, index)
          // The transfer paid for another charge: it can't pay for this one.
          const isOthers = since.at(-1)?._tag === "TransferTaken" || since.some(movedBeforeClaim)
          holds(definite || since.some(isFinal) || isOthers, path)
        })
      }
    })

    it("a completed charge has a response or a refund due", () => {
      for (const path of paths) {
        // What others brought to its end is looked up once more, and found.
        if (path.events.at(-1)?._tag === "Found") continue
        if (!path.events.some(({ _tag }) => _tag === "Completed")) continue
        const owed = path.ending._tag === "Refused" && path.ending.refusal.code === "payment_refund_due"
        // Another call produces the response.
        if (path.ending._tag === "InProgress") continue
        holds(path.ending._tag === "Paid" || owed || path.ending._tag === "Owed", path)
      }
    })

    it("a payment that settles first buys no work before it has settled", () => {
      if (!facts.workIsDue) return
      for (const path of paths)
        path.steps.forEach((step, index) => {
          if (step._tag !== "Work") return
          holds(step.paid !== undefined, path)
          const isPaid = path.events
            .slice(0, index)
            .some(
              (event) =>
                event._tag === "Completed" || (event._tag === "Taken" && event.charge.state === "settled")
            )
          holds(isPaid, path)
        })
    })

    it("nothing is written for a payment that was not verified", () => {
      for (const path of paths) {
        const refusedAt = path.events.findIndex(
          (event) =>
            event._tag === "Busy" ||
            (event._tag === "Verified" && event.verification._tag !== "Valid") ||
            event._tag === "Refused"
        )
        // A charge that an earlier request of the payment left is brought to its end, whatever this one does.
        if (refusedAt < 0 || path.steps.some(({ _tag }) => _tag === "TakeOver")) continue
        const written = path.steps.slice(0, refusedAt + 2).map(({ _tag }) => _tag)
        const writes: ReadonlyArray<ChargeStep["_tag"]> = ["Claim", "Void", "Advance", "Complete"]
        holds(!written.some((tag) => writes.includes(tag)), path)
      }
    })

    it("the response to one request is never returned to another", () => {
      for (const path of paths) {
        const taken = path.events.findLast(({ _tag }) => _tag === "Taken")
        if (taken?._tag !== "Taken" || taken.sameRequest) continue
        const isFresh = path.events.some(({ _tag }) => _tag === "Claimed")
        // What is settled or ready was found to be of the same request before it was taken.
        if (taken.charge.state === "settled" || taken.charge.state === "ready") continue
        // The reconciler has no request; it records which transfer moved what was refunded.
        if (facts.by === "reconciler" && taken.charge.refund !== undefined) continue
        holds(isFresh || path.ending._tag !== "Paid", path)
      }
    })

    it("what was refunded and reopened is not settled, voided, worked on, applied or released", () => {
      for (const { ending, events, steps } of paths) {
        const at = events.findLastIndex(isReopenedRefund)
        // A call that takes the charge over again finds it as it is then.
        if (at < 0 || events.slice(at + 1).some(({ _tag }) => _tag === "Taken")) continue
        const after = steps.slice(at + 1).map(({ _tag }) => _tag)
        const forbidden = [
          "Settle",
          "Void",
          "Work",
          "Apply",
          "Release",
          "MarkRefundDue",
          "Verify",
          "Claim",
          "Reopen"
        ]
        holds(!after.some((tag) => forbidden.includes(tag)), { ending, events, steps })
      }
    })

    it("a refusal is returned only after a check for what copies have made of the payment meanwhile", () => {
      for (const path of paths) {
        const judged = path.events.findIndex((event) => event._tag === "Refused")
        if (judged >= 0)
          holds(
            path.events.slice(judged).some(({ _tag }) => _tag === "Found"),
            path
          )
      }
    })

    it("no caller gets a response without a completed charge", () => {
      for (const path of paths)
        if (path.ending._tag === "Paid")
          holds(count(path, "Complete") + count(path, "Apply") + count(path, "Deliver") > 0, path)
    })

    it("work follows the claim of a verified payment, once; its response is recorded before the money moves", () => {
      for (const path of paths) {
        const tags = tagsOf(path)
        holds(count(path, "Work") <= 1, path)
        const at = path.steps.findIndex((step) => step._tag === "Work" && step.paid === undefined)
        holds(at < 0 || tags[at - 1] === (facts.canReadChain ? "CheckFunds" : "Claim"), path)
        const first = path.steps.findIndex((step) => step._tag === "Settle" && step.first)
        holds(first < 0 || tags[first - 1] === "Advance", path)
        holds(path.steps.filter((step) => step._tag === "Settle" && step.first).length <= 1, path)
      }
    })

    it("a claimed charge is recorded, voided or released", () => {
      for (const path of paths)
        if (path.events.some(({ _tag }) => _tag === "Claimed"))
          expect(
            tagsOf(path).some((tag) => tag === "Advance" || tag === "Void" || tag === "Release"),
            words(path)
          ).toBe(true)
    })

    it("a charge is forgotten only where its money can't move any more, or moved before its claim", () => {
      for (const path of paths)
        path.steps.forEach((step, index) => {
          if (step._tag !== "Release") return
          const earlier = path.events.slice(0, index)
          const isOver =
            earlier.some(isFinal) ||
            // Not covered by the payer's balance: nothing was ever sent.
            earlier.at(-1)?._tag === "Funded" ||
            earlier.some((event) => event._tag === "Taken" && event.nowMillis === endless) ||
            earlier.some(movedBeforeClaim)
          holds(isOver, path)
        })
    })
  })
