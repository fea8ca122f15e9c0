import { Context } from "effect"
import { StoreError } from "../../src/domain/Errors.ts"
import { Charges, type Claim, type NewCharge } from "../../src/ports/Charges.ts"
import { type Order, Orders } from "../../src/ports/Orders.ts"
import { Quotes } from "../../src/ports/Quotes.ts"
import type { Stores } from "../../src/ports/Stores.ts"
import { VaultItems } from "../../src/ports/VaultItems.ts"
import { type VaultPurchase, VaultPurchases } from "../../src/ports/VaultPurchases.ts"
import type { Effect } from "effect"
import type { Link } from "./Link.ts"
import type { Connection } from "./Storage.ts"
import type { Witness } from "./Witness.ts"

type Verb = (...parameters: ReadonlyArray<unknown>) => Effect.Effect<unknown, StoreError>

/** What the witness is told of a verb that was done; answers what the trace says of it. */
const observe = (
  witness: Witness,
  name: string,
  parameters: ReadonlyArray<unknown>,
  answer: unknown
): string => {
  switch (name) {
    case "charges.claim": {
      const claim = answer as Claim
      if (claim._tag === "Claimed") witness.claimed((parameters[0] as NewCharge).key)
      return claim._tag === "Existing" ? `Existing ${claim.charge.state}` : claim._tag
    }
    case "charges.complete":
      if (isCompleted(answer) && (parameters[1] as { readonly refundDue: boolean }).refundDue)
        witness.orders.owed.add(parameters[0] as string)
      return summaryOf(answer)
    case "charges.reopen":
      // A refund that was due for it is not due any more.
      if (answer === true) witness.orders.owed.delete(parameters[0] as string)
      return String(answer)
    case "charges.oweRefund":
      if (answer === true) witness.orders.owed.add(parameters[0] as string)
      return String(answer)
    case "charges.recordRefund":
      if (answer === true) witness.orders.owed.delete(parameters[0] as string)
      return String(answer)
    case "charges.stopRefunds":
      if (answer === true) witness.refundsStopped(String(parameters[0]))
      return String(answer)
    case "charges.resumeRefunds":
      if (answer === true) witness.areRefundsStopped = false
      return String(answer)
    case "orders.create":
      witness.ordered(parameters[0] as Order)
      return "done"
    case "orders.replace": {
      const order = parameters[0] as Order
      if (answer === true) witness.orders.written({ ...order, version: order.version + 1 })
      return answer === true ? `${order.status} ${order.reason ?? ""}` : String(answer)
    }
    case "orders.take":
      for (const order of answer as ReadonlyArray<Order>) witness.orders.written(order)
      return (answer as ReadonlyArray<Order>).map(({ status }) => status).join(", ") || "none"
    case "vaultPurchases.reserve":
      witness.reserved(parameters[0] as Omit<VaultPurchase, "status">)
      return "done"
    case "vaultPurchases.grant":
      if (answer === true) witness.granted(parameters[0] as string)
      return String(answer)
    default:
      return summaryOf(answer)
  }
}

/** The nonce that a verb of charges is about, in the words of the other lines. */
const subjectOf = (room: string, [first]: ReadonlyArray<unknown>): string => {
  const key = typeof first === "object" && first !== null && "key" in first ? first.key : first
  const nonce = room === "charges" && typeof key === "string" ? key.split(":").at(-1)! : ""
  return nonce.startsWith("0x") ? ` (${nonce.slice(0, 10)})` : ""
}

/** `complete` returns a tagged value, or whether it took effect. */
const isCompleted = (answer: unknown): boolean =>
  answer === true ||
  (typeof answer === "object" && answer !== null && "_tag" in answer && answer._tag === "Completed")

const summaryOf = (answer: unknown): string => {
  if (Array.isArray(answer)) return `${answer.length} found`
  if (typeof answer !== "object" || answer === null) return String(answer)
  if ("_tag" in answer) return String(answer._tag)
  if ("state" in answer) return String(answer.state)
  return "status" in answer ? String(answer.status) : "found"
}

/** The stores as one process has them: every verb goes over its link. */
export const storesOver = (
  { execute, stores }: Connection,
  link: Link,
  witness: Witness,
  isLocal: boolean
): Context.Context<Stores> => {
  const over = <Service extends object>(room: string, service: Service): Service => {
    const entries = Object.entries(service) as ReadonlyArray<readonly [string, Verb]>
    const linked = entries.map(([verb, method]): readonly [string, Verb] => {
      const name = `${room}.${verb}`
      const error = () => new StoreError({ operation: name, cause: new Error("connection reset") })
      return [
        verb,
        (...parameters) =>
          link.verb(name, method(...parameters), {
            isLocal,
            execute,
            error,
            observe: (answer) => observe(witness, name, parameters, answer) + subjectOf(room, parameters)
          })
      ]
    })
    // The same verbs under the same names.
    return Object.fromEntries(linked) as Service
  }
  return Context.make(Charges, over("charges", Context.get(stores, Charges))).pipe(
    Context.add(Quotes, over("quotes", Context.get(stores, Quotes))),
    Context.add(Orders, over("orders", Context.get(stores, Orders))),
    Context.add(VaultItems, over("vaultItems", Context.get(stores, VaultItems))),
    Context.add(VaultPurchases, over("vaultPurchases", Context.get(stores, VaultPurchases)))
  )
}
