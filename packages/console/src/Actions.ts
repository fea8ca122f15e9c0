import type { OperatorResult } from "@till402/core"
import type { ConsoleSource } from "./ConsoleSource.ts"

/** A text that the operator gives with an action. */
export interface ActionField {
  readonly name: string
  readonly label: string
  readonly isRequired: boolean
}

/** A call of the till that changes something. */
export interface Action {
  readonly title: string
  /** What it does, before the operator confirms it. */
  readonly consequence: string
  /** What the subject is; `undefined`: the action has none. */
  readonly subject: "order" | "charge" | undefined
  readonly fields: ReadonlyArray<ActionField>
  /** Resolves to `done`, or to why nothing was changed. */
  readonly run: (
    till: ConsoleSource,
    subject: string,
    given: Readonly<Record<string, string>>
  ) => Promise<string>
}

const wordsOfOutcome = ({ outcome }: OperatorResult): string => outcome

const changed = (result: boolean): string => (result ? "done" : "conflict")

const orderAction = (
  title: string,
  consequence: string,
  run: (
    orders: ConsoleSource["orders"],
    id: string,
    given: Readonly<Record<string, string>>
  ) => Promise<OperatorResult>,
  fields: ReadonlyArray<ActionField> = []
): Action => ({
  title,
  consequence,
  subject: "order",
  fields,
  run: async (till, id, given) => wordsOfOutcome(await run(till.orders, id, given))
})

const transaction: ActionField = {
  name: "transaction",
  label: "Transaction that sent the refund",
  isRequired: true
}

/** The actions by their names, which are those of the calls. */
export const actions: Readonly<Record<string, Action>> = {
  "orders.processNow": orderAction(
    "Process now",
    "The till takes the order's next step at once: it asks the upstream for its status, or tries its refund.",
    (orders, id) => orders.processNow(id)
  ),
  "orders.retry": orderAction(
    "Place again",
    "The order is placed again. Do this only if you know that the upstream has not placed it: otherwise it is bought twice.",
    (orders, id) => orders.retry(id)
  ),
  "orders.resolve": orderAction(
    "Resolve",
    "The order counts as placed, and is tracked by the reference that the upstream gave it.",
    (orders, id, { reference = "" }) => orders.resolve(id, reference),
    [{ name: "reference", label: "The upstream's reference", isRequired: true }]
  ),
  "orders.markDelivered": orderAction(
    "Mark as delivered",
    "The order ends as delivered. Nothing is refunded.",
    (orders, id) => orders.markDelivered(id)
  ),
  "orders.cancel": orderAction(
    "Cancel and refund",
    "The order ends, and its payment is refunded. It is not cancelled at the upstream: do that there.",
    (orders, id, { reason = "" }) => (reason === "" ? orders.cancel(id) : orders.cancel(id, reason)),
    [{ name: "reason", label: "Reason, for the refund's mail", isRequired: false }]
  ),
  "orders.markRefunded": orderAction(
    "Record a refund that you sent",
    "The refund counts as sent by this transaction. The till doesn't send it any more.",
    (orders, id, { transaction: hash = "" }) => orders.markRefunded(id, hash),
    [transaction]
  ),
  "charges.recordRefund": {
    title: "Record a refund that you sent",
    consequence: "The refund counts as sent by this transaction. The till doesn't send it any more.",
    subject: "charge",
    fields: [transaction],
    run: async (till, key, { transaction: hash = "" }) => changed(await till.charges.recordRefund(key, hash))
  },
  "refunds.stop": {
    title: "Stop refunds",
    consequence: "No process sends a refund until you resume them. Those that are due stay due.",
    subject: undefined,
    fields: [{ name: "reason", label: "Reason", isRequired: true }],
    run: async (till, _, { reason = "" }) => changed(await till.refunds.stop(reason))
  },
  "refunds.resume": {
    title: "Resume refunds",
    consequence: "Every process sends the refunds that are due again.",
    subject: undefined,
    fields: [],
    run: async (till) => changed(await till.refunds.resume())
  },
  reconcile: {
    title: "Reconcile now",
    consequence:
      "The till finishes charges of processes that died, and looks up unknown outcomes, as it does every 15 seconds.",
    subject: undefined,
    fields: [],
    run: async (till) => {
      if (till.reconcile === undefined) return "unavailable"
      await till.reconcile()
      return "done"
    }
  }
}

/** The action of a name that a request gives. */
export const actionOf = (name: unknown): Action | undefined =>
  typeof name === "string" && Object.hasOwn(actions, name) ? actions[name] : undefined

/** Runs an action; resolves to `done`, or to why nothing was changed, also where the call fails. */
export const outcomeOf = async (
  { fields, run }: Action,
  till: ConsoleSource,
  subject: string,
  given: Readonly<Record<string, string>>
): Promise<string> => {
  if (fields.some(({ isRequired, name }) => isRequired && given[name] === "")) return "invalid"
  try {
    return await run(till, subject, given)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What an operator's call came to, in words. `name`: the action. */
export const outcomeText = (outcome: string, name: string): string => {
  switch (outcome) {
    case "done":
      return "Done."
    case "conflict":
      return actionOf(name)?.fields.includes(transaction) === true
        ? "Nothing was changed: its state doesn't allow that, it was changed meanwhile, or the transaction is a payment's."
        : "Nothing was changed: its state doesn't allow that, or it was changed meanwhile."
    case "not_found":
      return "Nothing was changed: it doesn't exist."
    case "invalid":
      return "Nothing was changed: the text is blank, too long or has control characters."
    default:
      return `It failed: ${outcome}`
  }
}
