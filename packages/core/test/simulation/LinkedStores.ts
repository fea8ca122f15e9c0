import { Context } from "effect"
import { StoreError } from "../../src/domain/Errors.ts"
import { Charges, type Claim, type NewCharge } from "../../src/ports/Charges.ts"
import { type Order, Orders } from "../../src/shop/ports/Orders.ts"
import { Quotes } from "../../src/shop/ports/Quotes.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { VaultItems } from "../../src/shop/ports/VaultItems.ts"
import { type VaultPurchase, VaultPurchases } from "../../src/shop/ports/VaultPurchases.ts"
import type { Effect } from "effect"
import type { Link } from "./Link.ts"
import type { Connection } from "./Storage.ts"
import type { InvariantChecker } from "./InvariantChecker.ts"
import type { PowerLoss } from "./PowerLoss.ts"

type StoreOperation = (...parameters: ReadonlyArray<unknown>) => Effect.Effect<unknown, StoreError>

/** Reports a completed store operation to the checker; returns its summary for the trace. */
const observe = (
  checker: InvariantChecker,
  operation: string,
  parameters: ReadonlyArray<unknown>,
  result: unknown
): string => {
  switch (operation) {
    case "charges.claim": {
      const claim = result as Claim
      if (claim._tag === "Claimed") checker.chargeClaimed((parameters[0] as NewCharge).key)
      return claim._tag === "Existing" ? `Existing ${claim.charge.state}` : claim._tag
    }
    case "charges.complete":
      if (isCompleted(result) && (parameters[1] as { readonly refundDue: boolean }).refundDue)
        checker.orders.refundsDue.add(parameters[0] as string)
      return summaryOf(result)
    case "charges.reopen":
      // Reopening the charge cancels a refund that was due.
      if (result === true) checker.orders.refundsDue.delete(parameters[0] as string)
      return String(result)
    case "charges.markRefundDue":
      if (result === true) checker.orders.refundsDue.add(parameters[0] as string)
      return String(result)
    case "charges.recordRefund":
    case "charges.recordManualRefund":
      if (result === true) checker.orders.refundsDue.delete(parameters[0] as string)
      return String(result)
    case "charges.stopRefunds":
      if (result === true) checker.refundsStopped(String(parameters[0]))
      return String(result)
    case "charges.resumeRefunds":
      if (result === true) checker.areRefundsStopped = false
      return String(result)
    case "orders.create":
      checker.orderCreated(parameters[0] as Order)
      return "done"
    case "orders.replace": {
      const order = parameters[0] as Order
      if (result === true) checker.orders.orderWritten({ ...order, version: order.version + 1 })
      return result === true ? `${order.status} ${order.reason ?? ""}` : String(result)
    }
    case "orders.take":
      for (const order of result as ReadonlyArray<Order>) checker.orders.orderWritten(order)
      return (result as ReadonlyArray<Order>).map(({ status }) => status).join(", ") || "none"
    case "vaultPurchases.reserve":
      checker.purchaseReserved(parameters[0] as Omit<VaultPurchase, "status">)
      return "done"
    case "vaultPurchases.grant":
      if (result === true) checker.purchaseGranted(parameters[0] as string)
      return String(result)
    default:
      return summaryOf(result)
  }
}

/** The nonce that a charge operation concerns, formatted as in other trace lines. */
const subjectOf = (service: string, [first]: ReadonlyArray<unknown>): string => {
  const key = typeof first === "object" && first !== null && "key" in first ? first.key : first
  const nonce = service === "charges" && typeof key === "string" ? key.split(":").at(-1)! : ""
  return nonce.startsWith("0x") ? ` (${nonce.slice(0, 10)})` : ""
}

/** `complete` returns a tagged value, or whether it took effect. */
const isCompleted = (result: unknown): boolean =>
  result === true ||
  (typeof result === "object" && result !== null && "_tag" in result && result._tag === "Completed")

const summaryOf = (result: unknown): string => {
  if (Array.isArray(result)) return `${result.length} found`
  if (typeof result !== "object" || result === null) return String(result)
  if ("_tag" in result) return String(result._tag)
  if ("state" in result) return String(result.state)
  return "status" in result ? String(result.status) : "found"
}

/** The stores of one process: every operation goes over its link. */
export const storesOver = (
  { execute, stores }: Connection,
  link: Link,
  checker: InvariantChecker,
  powerLoss: PowerLoss,
  isLocal: boolean
): Context.Context<Stores> => {
  const linked = <Service extends object>(name: string, service: Service): Service => {
    const entries = Object.entries(service) as ReadonlyArray<readonly [string, StoreOperation]>
    const operations = entries.map(([method, call]): readonly [string, StoreOperation] => {
      const operation = `${name}.${method}`
      const error = () => new StoreError({ operation, cause: new Error("connection reset") })
      return [
        method,
        (...parameters) =>
          link.storeCall(operation, call(...parameters), {
            isLocal,
            execute,
            error,
            observe: (result) => {
              powerLoss.completed(operation, parameters, result)
              return observe(checker, operation, parameters, result) + subjectOf(name, parameters)
            }
          })
      ]
    })
    // The same operations under the same names.
    return Object.fromEntries(operations) as Service
  }
  return Context.make(Charges, linked("charges", Context.get(stores, Charges))).pipe(
    Context.add(Quotes, linked("quotes", Context.get(stores, Quotes))),
    Context.add(Orders, linked("orders", Context.get(stores, Orders))),
    Context.add(VaultItems, linked("vaultItems", Context.get(stores, VaultItems))),
    Context.add(VaultPurchases, linked("vaultPurchases", Context.get(stores, VaultPurchases)))
  )
}
