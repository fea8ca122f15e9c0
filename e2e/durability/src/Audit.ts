import type { ReceivedResponse, Attempt } from "./Buyer.ts"
import type { Books, OrderEntry, PurchaseEntry } from "./Books.ts"
import type { Placement, SentMail } from "./Outside.ts"

/** A USDC transfer to the payee, as the chain shows it. */
export interface Transfer {
  /** Of the payment's authorization; on Solana, the digest of its message. */
  readonly nonce: string
  readonly amountAtomic: bigint
  readonly transaction: string
}

/** The result of sending a payment again. */
export type Replay = ReceivedResponse | { readonly failure: string }

/** Everything known after all activity has ended. */
export interface Evidence {
  readonly attempts: ReadonlyArray<Attempt>
  /** Responses to each attempt's payment when sent again at the end. */
  readonly replays: ReadonlyMap<Attempt, Replay>
  readonly transfers: ReadonlyArray<Transfer>
  /** The payee's balance on the chain. */
  readonly balanceAtomic: bigint
  /** Records at the end, before and after the payments are sent again. */
  readonly books: Books
  readonly booksAfter: Books
  readonly placements: ReadonlyArray<Placement>
  readonly mails: ReadonlyArray<SentMail>
}

const grouped = <A>(values: ReadonlyArray<A>, keyOf: (value: A) => string): ReadonlyMap<string, Array<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

/** The last part of a charge's key; on Solana, without the blockhash before it. */
const nonceOf = (chargeKey: string): string => chargeKey.split(/[.:]/).at(-1)!.toLowerCase()

const receiptOf = ({ headers }: ReceivedResponse): string | undefined => headers["payment-response"]

const transactionOf = (response: ReceivedResponse): string | undefined => {
  const receipt = receiptOf(response)
  return receipt === undefined
    ? undefined
    : (JSON.parse(Buffer.from(receipt, "base64").toString("utf8")) as { transaction?: string }).transaction
}

/** A field of a response's JSON; `undefined` if it is not JSON. */
const fieldOf = ({ body }: ReceivedResponse, field: string): unknown => {
  const text = Buffer.from(body, "base64").toString("utf8")
  return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>)[field] : undefined
}

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** Final statuses of a paid request: bought, or refused without a charge. */
const finalStatuses: ReadonlySet<number> = new Set([200, 402])

/** Final statuses of an order: placed or delivered, or needing an operator because placing was interrupted. */
const paidOrderStatuses: ReadonlySet<string> = new Set([
  "placed",
  "shipped",
  "delivered",
  "placing",
  "needs_operator"
])

/**
 * Lists violations, one line each; empty if every promise was kept. Money that moved has its response or a refund due;
 * a replayed response is byte for byte the same; nothing is sold without payment or twice; the records equal the chain.
 */
export const audit = (evidence: Evidence): ReadonlyArray<string> => {
  const index = indexOf(evidence)
  return [
    ...evidence.attempts.flatMap((attempt) => auditAttempt(attempt, evidence, index)),
    ...auditBooks(evidence),
    ...auditDoubles(evidence),
    ...auditChanges(evidence)
  ]
}

/** What is looked up for each attempt: a long run has tens of thousands. */
const indexOf = ({ books, placements, transfers }: Evidence) => ({
  transfers: Map.groupBy(transfers, ({ nonce }) => nonce),
  charges: new Map(books.charges.map((charge) => [nonceOf(charge.key), charge])),
  orders: new Map<unknown, OrderEntry>(books.orders.map((order) => [order.id, order])),
  purchases: new Map<unknown, PurchaseEntry>(books.purchases.map((purchase) => [purchase.id, purchase])),
  placements: Map.groupBy(placements, ({ orderId }) => orderId)
})

type Index = ReturnType<typeof indexOf>

const auditAttempt = (attempt: Attempt, evidence: Evidence, index: Index): ReadonlyArray<string> => {
  const { payment } = attempt
  const faults: Array<string> = []
  const who = `${attempt.operation} of ${attempt.email} (${payment?.nonce ?? "unpaid"})`
  const fault = (words: string) => faults.push(`${who}: ${words}`)
  if (attempt.failure !== undefined) fault(attempt.failure)
  const bought = attempt.responses.filter(({ status }) => status === 200)
  for (const { status } of attempt.responses) {
    if (!finalStatuses.has(status)) fault(`got ${status}`)
  }
  const transfers = (payment && index.transfers.get(payment.nonce)) ?? []
  if (transfers.length > 1) fault(`its payment moved ${transfers.length} times`)
  const [transfer] = transfers
  if (transfer === undefined) {
    if (bought.length > 0) fault("got 200, but no money moved")
    return faults
  }
  if (transfer.amountAtomic !== payment?.amountAtomic) fault(`${transfer.amountAtomic} moved`)
  if (index.charges.get(transfer.nonce)?.refund !== undefined) return faults
  const [first] = bought
  if (first === undefined) {
    fault("its money moved, but it has neither its response nor a refund due")
    return faults
  }
  for (const response of attempt.responses.filter(({ status }) => status === 402)) {
    const millis = response.atMillis - first.atMillis
    fault(
      `its money moved, but a copy of its payment got 402 (${fieldOf(response, "error")}), ${millis} ms after the 200`
    )
  }
  const replay = evidence.replays.get(attempt)
  if (replay === undefined) fault("its payment was not sent again")
  else if ("failure" in replay) fault(`its payment was sent again: ${replay.failure}`)
  for (const response of [
    ...bought.slice(1),
    ...(replay === undefined || "failure" in replay ? [] : [replay])
  ]) {
    if (response.status !== first.status) fault(`the replayed payment got ${response.status}`)
    else if (response.body !== first.body) fault("the replay had another body")
    else if (receiptOf(response) !== receiptOf(first)) fault("the replay had another receipt")
  }
  if (transactionOf(first) !== transfer.transaction) {
    fault(`its receipt names ${transactionOf(first)}, its money moved in ${transfer.transaction}`)
  }
  return [...faults, ...auditGoods(attempt, first, index).map((words) => `${who}: ${words}`)]
}

/** Checks that the paid request matches the order or purchase. */
const auditGoods = (
  { email, operation }: Attempt,
  response: ReceivedResponse,
  { orders, placements, purchases }: Index
): ReadonlyArray<string> => {
  if (operation === "buy") {
    const orderId = fieldOf(response, "orderId")
    const order = orders.get(orderId)
    if (order === undefined || !paidOrderStatuses.has(order.status)) {
      return [`its order is ${order?.status ?? "not recorded"}`]
    }
    const placed = placements.get(order.id)?.some((placement) => placement.email === email) === true
    return order.status === "placed" && !placed
      ? ["its order is recorded as placed, but never reached upstream"]
      : []
  }
  if (operation === "vaultBuy") {
    const purchaseId = fieldOf(response, "purchaseId")
    const purchase = purchases.get(purchaseId)
    return purchase?.status === "granted" ? [] : [`its purchase is ${purchase?.status ?? "not recorded"}`]
  }
  return []
}

/** Checks that the ledger matches the transfers and the balance on the chain. */
const auditBooks = ({ attempts, balanceAtomic, books, transfers }: Evidence): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const signed = new Set(attempts.map(({ payment }) => payment?.nonce))
  for (const { nonce } of transfers)
    if (!signed.has(nonce)) faults.push(`${nonce} moved, but no buyer signed it`)
  const moved = new Map(transfers.map((transfer) => [transfer.nonce, transfer]))
  const settled = books.charges.filter(({ state }) => state === "settled")
  for (const charge of settled) {
    const transfer = moved.get(nonceOf(charge.key))
    if (transfer === undefined) faults.push(`${charge.key} is recorded as settled, but no money moved`)
    else if (transfer.transaction !== charge.transaction) faults.push(`${charge.key} has another transaction`)
  }
  for (const charge of books.charges) {
    if (charge.state === "ready") faults.push(`${charge.key} is still waiting for its settlement`)
  }
  const recorded = sum(settled.map(({ amountAtomic }) => BigInt(amountAtomic)))
  const received = sum(transfers.map(({ amountAtomic }) => amountAtomic))
  if (balanceAtomic !== received)
    faults.push(`the payee has ${balanceAtomic}, the chain's transfers sum to ${received}`)
  if (recorded !== received)
    faults.push(`the charges sum to ${recorded}, the chain's transfers to ${received}`)
  if (BigInt(books.ledgerAtomic) !== received) {
    faults.push(`the ledger sums to ${books.ledgerAtomic}, the chain's transfers to ${received}`)
  }
  return [...faults, ...books.bookFaults]
}

/** Checks that no buyer got anything twice or without paying. */
const auditDoubles = ({ attempts, books, mails, placements, transfers }: Evidence): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const moved = new Set(transfers.map(({ nonce }) => nonce))
  const paid = new Set(
    attempts
      .filter(({ payment }) => payment !== undefined && moved.has(payment.nonce))
      .map(({ email }) => email)
  )
  const once = <A extends object>(
    what: string,
    values: ReadonlyArray<A>,
    keyOf: (value: A) => string,
    emailOf: (value: A) => string
  ) => {
    for (const [key, group] of grouped(values, keyOf)) {
      if (group.length > 1) faults.push(`${what} for ${key} ${group.length} times`)
    }
    for (const value of values) {
      if (!paid.has(emailOf(value))) faults.push(`${what} for ${emailOf(value)} without money`)
    }
  }
  const byEmail = ({ email }: { readonly email: string }) => email
  const granted = books.purchases.filter(({ status }) => status === "granted")
  const live = books.orders.filter(({ status }) => status !== "awaiting_payment" && status !== "abandoned")
  once("an order was placed", placements, byEmail, byEmail)
  once("a quote was ordered", placements, ({ reference }) => reference, byEmail)
  once("a paid order is recorded", live, byEmail, byEmail)
  once("a purchase was granted", granted, byEmail, byEmail)
  // A mail whose process died before it was recorded is sent again, under its key. An order that fails has other mails, too.
  const confirmations = new Map(
    mails
      .filter(({ idempotencyKey }) => /^(?:order|purchase)-confirmed:/.test(idempotencyKey))
      .map((mail) => [mail.idempotencyKey, mail])
  )
  once(
    "a confirmation was sent",
    [...confirmations.values()],
    ({ to }) => to,
    ({ to }) => to
  )
  return faults
}

/** Data that replays must not change. */
const fixedPartOf = ({ charges, ledgerAtomic, orders, purchases }: Books): ReadonlySet<string> =>
  new Set([
    ...charges
      .filter(({ state }) => state === "settled")
      .map(({ key, transaction }) => `${key} ${transaction}`),
    ...orders.map(({ id }) => id),
    ...purchases.map(({ id, status }) => `${id} ${status}`),
    ledgerAtomic
  ])

/** Checks that replays triggered nothing, and that nothing depended on them. */
const auditChanges = ({ books, booksAfter }: Evidence): ReadonlyArray<string> => {
  const [before, after] = [fixedPartOf(books), fixedPartOf(booksAfter)]
  return [
    ...[...after].filter((line) => !before.has(line)),
    ...[...before].filter((line) => !after.has(line))
  ].map((line) => `replayed payments changed the records: ${line}`)
}
