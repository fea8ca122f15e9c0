import { type Effect, type Layer, ManagedRuntime } from "effect"
import {
  Fulfilment,
  type FulfilmentOptions,
  NotPlaced,
  type OrderToPlace,
  Money,
  type QuotedOffer,
  type QuoteRequest
} from "@till402/core/effect"

/** Connects the fulfilment tests with a provider, over a fake of its upstream. Made anew for each test. */
export interface FulfilmentUnderTest {
  /** Plain functions, or a layer. */
  readonly fulfilment: FulfilmentOptions | Layer.Layer<Fulfilment, unknown>
  /** A product in stock, for an address that is served. */
  readonly request: QuoteRequest
  /** The same fulfilment after a restart of the process: a new one, over the same upstream and the same records. */
  readonly restart: () => FulfilmentOptions | Layer.Layer<Fulfilment, unknown>
  /** What upstream has charged so far: decimal text in dollars for each order, oldest first. */
  readonly charges: () => ReadonlyArray<string> | Promise<ReadonlyArray<string>>
  /**
   * Disturbs the next placement: its request never reaches upstream (`refused`), or upstream takes the order and the
   * response is lost (`lost`).
   */
  readonly disturb: (what: "refused" | "lost") => void
  /** Makes upstream cancel an order. Absent: upstream never does. */
  readonly cancel?: (reference: string) => void
}

/** One test of the fulfilment contract, for any test runner. */
export interface FulfilmentTest {
  /** A sentence, e.g. `Fulfilment: an order is placed once for repeated calls`. */
  readonly name: string
  /** Rejects with a `FulfilmentContractViolation` if the fulfilment breaks the contract. */
  readonly run: () => Promise<void>
}

/** Thrown if a fulfilment breaks the contract. */
export class FulfilmentContractViolation extends Error {
  override readonly name = "FulfilmentContractViolation"
}

/** A fulfilment under test as plain functions, whatever made it. */
interface Opened extends Omit<FulfilmentUnderTest, "fulfilment" | "restart"> {
  readonly fulfilment: FulfilmentOptions
  readonly restart: () => Promise<FulfilmentOptions>
}

type Test = (subject: Opened) => Promise<void>

const functionsOf = async (
  runtime: ManagedRuntime.ManagedRuntime<Fulfilment, unknown>
): Promise<FulfilmentOptions> => {
  const { find, place, placesOnce, quote, status } = await runtime.runPromise(Fulfilment)
  const run = <A, E>(call: Effect.Effect<A, E>, { signal }: { readonly signal: AbortSignal }) =>
    runtime.runPromise(call, { signal })
  return {
    quote: (request, context) => run(quote(request), context),
    place: (order, context) => run(place(order), context),
    ...(placesOnce === undefined ? {} : { placesOnce }),
    ...(find && { find: (orderId, context) => run(find(orderId, context.reference), context) }),
    ...(status && { status: (reference, context) => run(status(reference), context) })
  }
}

/** Runs a test, and releases the layers that it opened. */
const runOver = async (test: Test, subject: FulfilmentUnderTest): Promise<void> => {
  const runtimes: Array<ManagedRuntime.ManagedRuntime<Fulfilment, unknown>> = []
  const open = async (fulfilment: FulfilmentUnderTest["fulfilment"]): Promise<FulfilmentOptions> => {
    if ("quote" in fulfilment) return fulfilment
    const runtime = ManagedRuntime.make(fulfilment)
    runtimes.push(runtime)
    return functionsOf(runtime)
  }
  try {
    await test({
      ...subject,
      fulfilment: await open(subject.fulfilment),
      restart: () => open(subject.restart())
    })
  } finally {
    await Promise.all(runtimes.map((runtime) => runtime.dispose()))
  }
}

const expect = (holds: boolean, otherwise: string): void => {
  if (!holds) throw new FulfilmentContractViolation(otherwise)
}

const atomicOf = (text: string, what: string): bigint => {
  const atomic = Money.parseAtomic(text)
  if (atomic === undefined) throw new FulfilmentContractViolation(`${what} is not decimal text: ${text}`)
  return atomic
}

const context = () => ({ signal: AbortSignal.timeout(60_000) })

const orderOf = (
  request: QuoteRequest,
  { reference, total }: QuotedOffer,
  orderId: string
): OrderToPlace => ({
  ...request,
  orderId,
  reference,
  total
})

const firstId = "0b6f1f0e-3c8a-4b6e-9a55-000000000001"
const secondId = "0b6f1f0e-3c8a-4b6e-9a55-000000000002"

const quoted = ({ fulfilment, request }: Opened): Promise<QuotedOffer> => fulfilment.quote(request, context())

const expectCharges = async (subject: Opened, count: number, when: string): Promise<void> => {
  const { length } = await subject.charges()
  expect(length === count, `upstream has taken ${length} orders instead of ${count} ${when}`)
}

/** The result of a call, or the error that it threw. */
const outcomeOf = async <A>(
  call: Promise<A>
): Promise<{ readonly value: A } | { readonly error: unknown }> => {
  try {
    return { value: await call }
  } catch (error) {
    return { error }
  }
}

/** By name: an error may come from another copy of this package. */
const isNotPlaced = (error: unknown): boolean =>
  error instanceof NotPlaced ||
  (typeof error === "object" && error !== null && "_tag" in error && error._tag === "NotPlaced")

const quoteIsWhole: Test = async (subject) => {
  const { currency, expiresAt, product, reference, shipping, subtotal, tax, total } = await quoted(subject)
  const parts = [subtotal, tax, shipping].map((part) => atomicOf(part, "a part of the total"))
  const sum = parts.reduce((left, right) => left + right, 0n)
  expect(sum === atomicOf(total, "total"), "subtotal, tax and shipping don't add up to the total")
  expect(sum > 0n, "the total is zero")
  expect(currency === "USD", "the currency is not USD")
  expect(expiresAt.getTime() > Date.now() + 30_000, "the quote expires within 30 seconds")
  expect(product.title !== "" && reference !== "", "the quote has no title or no reference")
  await expectCharges(subject, 0, "after a quote")
}

const chargeIsQuoted: Test = async (subject) => {
  const offer = await quoted(subject)
  await subject.fulfilment.place(orderOf(subject.request, offer, firstId), context())
  const [charged] = await subject.charges()
  if (charged === undefined) throw new FulfilmentContractViolation("upstream has taken no order")
  const [paid, agreed] = [atomicOf(charged, "a charge"), atomicOf(offer.total, "total")]
  expect(paid <= agreed, `upstream charged ${charged}, more than the quoted ${offer.total}`)
}

const placedOnce: Test = async (subject) => {
  const order = orderOf(subject.request, await quoted(subject), firstId)
  const first = await subject.fulfilment.place(order, context())
  const again = await subject.fulfilment.place(order, context())
  const restarted = await (await subject.restart()).place(order, context())
  expect(
    again.reference === first.reference && restarted.reference === first.reference,
    "a repeated placement returned another reference"
  )
  await expectCharges(subject, 1, "after three placements of one order")
}

const racersPlaceOnce: Test = async (subject) => {
  const order = orderOf(subject.request, await quoted(subject), firstId)
  const racers = Array.from({ length: 5 }, () => outcomeOf(subject.fulfilment.place(order, context())))
  const references = (await Promise.all(racers)).flatMap((outcome) =>
    "value" in outcome ? [outcome.value.reference] : []
  )
  expect(
    new Set(references).size === 1,
    "concurrent placements of one order returned several references, or none"
  )
  await expectCharges(subject, 1, "after concurrent placements of one order")
}

const twoOrdersAreTwo: Test = async (subject) => {
  const references = new Set<string>()
  for (const orderId of [firstId, secondId]) {
    const order = orderOf(subject.request, await quoted(subject), orderId)
    references.add((await subject.fulfilment.place(order, context())).reference)
  }
  expect(references.size === 2, "two orders have the same reference")
  await expectCharges(subject, 2, "after two orders")
}

/** Finds an order as the till does; `null` also if it can't be known now. */
const found = async (fulfilment: FulfilmentOptions, reference: string): Promise<string | null> => {
  if (fulfilment.find === undefined) return null
  const outcome = await outcomeOf(fulfilment.find(firstId, { ...context(), reference }))
  if ("error" in outcome) return null
  expect(outcome.value !== undefined, "find returned undefined: return null if there is no such order")
  return outcome.value
}

const survivesLostResponse: Test = async (subject) => {
  const offer = await quoted(subject)
  const order = orderOf(subject.request, offer, firstId)
  subject.disturb("lost")
  const outcome = await outcomeOf(subject.fulfilment.place(order, context()))
  if ("error" in outcome) {
    expect(!isNotPlaced(outcome.error), "an order that upstream has taken was reported as NotPlaced")
  }
  const restarted = await subject.restart()
  const reference = await found(restarted, offer.reference)
  const mayPlace =
    typeof restarted.placesOnce === "function"
      ? restarted.placesOnce(offer.reference)
      : restarted.placesOnce === true
  if (reference === null && mayPlace) await restarted.place(order, context())
  else expect(reference !== null, "an order that upstream has taken was not found after a lost response")
  await expectCharges(subject, 1, "after a lost response")
}

const survivesRefusedRequest: Test = async (subject) => {
  const order = orderOf(subject.request, await quoted(subject), firstId)
  subject.disturb("refused")
  const outcome = await outcomeOf(subject.fulfilment.place(order, context()))
  if ("error" in outcome && isNotPlaced(outcome.error)) {
    await expectCharges(subject, 0, "after NotPlaced")
    await subject.fulfilment.place(order, context())
    await expectCharges(subject, 1, "after a retry")
    return
  }
  const { length } = await subject.charges()
  expect(length <= 1, "a refused request was placed more than once")
}

const findsOrders: Test = async (subject) => {
  const { find } = subject.fulfilment
  if (find === undefined) return
  const offer = await quoted(subject)
  const before = await found(subject.fulfilment, offer.reference)
  expect(before === null, "an order was found before it was placed")
  const placed = await subject.fulfilment.place(orderOf(subject.request, offer, firstId), context())
  for (const fulfilment of [subject.fulfilment, await subject.restart()]) {
    const reference = await found(fulfilment, offer.reference)
    expect(reference === placed.reference, "a placed order was not found, or under another reference")
  }
}

const statuses: ReadonlySet<string> = new Set(["placed", "shipped", "delivered", "failed", "cancelled"])

const reportsStatus: Test = async (subject) => {
  const { place, status } = subject.fulfilment
  if (status === undefined) return
  const { reference } = await place(orderOf(subject.request, await quoted(subject), firstId), context())
  const now = await status(reference, context())
  if (now === undefined) return
  expect(statuses.has(now.status), `an order has the unknown status ${now.status}`)
  expect(now.status !== "failed" && now.status !== "cancelled", "an order that was just placed has failed")
  if (subject.cancel === undefined) return
  subject.cancel(reference)
  const later = await status(reference, context())
  expect(
    later?.status === "cancelled" || later?.status === "failed",
    `an order that upstream canceled is ${later?.status ?? "without a status"}`
  )
}

const tests: ReadonlyArray<readonly [string, Test]> = [
  ["a quote adds up, in US dollars, and orders nothing", quoteIsWhole],
  ["upstream charges no more than the quote", chargeIsQuoted],
  ["an order is placed once for repeated calls, and after a restart", placedOnce],
  ["an order is placed once for concurrent calls", racersPlaceOnce],
  ["two orders are placed twice", twoOrdersAreTwo],
  ["an order whose response was lost is found or placed again, once", survivesLostResponse],
  ["an order whose request was lost is placed once at most", survivesRefusedRequest],
  ["an order is found once it is placed, and after a restart", findsOrders],
  ["an order has a status, and a canceled one is canceled", reportsStatus]
]

/**
 * Creates the tests of the fulfilment contract for a provider, over a fake of its upstream that counts orders.
 *
 * The fulfilment is of plain functions, or a layer. `find` and `status` are tested if it has them.
 *
 * @example
 * import type { FulfilmentUnderTest } from "@till402/testing"
 *
 * const testFulfilment = (start: () => FulfilmentUnderTest) => {
 *   for (const { name, run } of fulfilmentTests(start)) test(name, run)
 * }
 */
export const fulfilmentTests = (
  start: () => FulfilmentUnderTest | Promise<FulfilmentUnderTest>
): ReadonlyArray<FulfilmentTest> =>
  tests.map(([name, test]) => ({
    name: `Fulfilment: ${name}`,
    run: async () => runOver(test, await start())
  }))
