import { Effect } from "effect"
import type { Completion } from "../../../src/ports/Charges.ts"
import { type Mutant, seeing, ownerOf } from "./Mutant.ts"

const completed: Completion = { _tag: "Completed" }

export const owedResponseMutants: ReadonlyArray<Mutant> = [
  {
    name: "a charge becomes ready with a response alone",
    foundBy: "a settle-first charge is ready and settled before it has a response",
    breaks: (store) => ({
      advance: (key, owner, outcome) =>
        outcome.response === undefined ? Effect.succeed(false) : store.advance(key, owner, outcome)
    })
  },
  {
    name: "anybody delivers",
    foundBy: "a settle-first charge is ready and settled before it has a response",
    breaks: (store) => ({
      deliver: (key, _, response) =>
        Effect.flatMap(ownerOf(store, key), (owner) => store.deliver(key, owner, response))
    })
  },
  {
    name: "a second response is delivered",
    foundBy: "racers one delivers and one settles",
    breaks: (store) => ({
      deliver: (key, owner, response) => Effect.as(store.deliver(key, owner, response), true)
    })
  },
  {
    name: "a response is delivered whose refund is due",
    foundBy: "a response is due or its refund is due, never both",
    breaks: (store) => ({
      deliver: (key, owner, response) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.refund === undefined ? store.deliver(key, owner, response) : Effect.succeed(true)
        )
    })
  },
  {
    name: "anybody makes a refund due",
    foundBy: "a refund of a charge that another owner has taken over is not due",
    breaks: (store) => ({ markRefundDue: (key, nowMillis) => store.markRefundDue(key, nowMillis, undefined) })
  },
  {
    name: "a settled charge is looked at again at the later of its times",
    foundBy: "a settled charge is due at the earlier of its times",
    breaks: (store) =>
      seeing(store, (charge) => ({
        ...charge,
        checkAfterMillis: charge.responseOwedUntilMillis ?? charge.checkAfterMillis
      }))
  },
  {
    name: "a voided charge that settles first needs a refund",
    foundBy: "a voided settle-first charge becomes settled without a refund",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.state === "voided" && !settlement.refundDue
            ? Effect.succeed({ _tag: "NotOpen" } as const)
            : store.complete(key, settlement, nowMillis)
        )
    })
  },
  {
    name: "anybody settles a charge that is refunded",
    foundBy: "a settlement by the owner before a takeover changes nothing",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        store.complete(key, { ...settlement, owner: undefined }, nowMillis)
    })
  },
  {
    name: "a voided charge settles without a refund",
    foundBy: "a voided charge becomes settled if its money moves",
    breaks: (store) => ({
      complete: (...input) =>
        Effect.flatMap(store.find(input[0]), (charge) =>
          charge?.state === "voided" ? Effect.succeed(completed) : store.complete(...input)
        )
    })
  },
  {
    name: "what settling needs is kept of a voided charge",
    foundBy: "the owner can void a claimed or ready charge, which ends its lease",
    breaks: (store) =>
      seeing(store, (charge) => (charge.state === "voided" ? { ...charge, settlement: "kept" } : charge))
  }
]
