import fc from "fast-check"

export const currencies = fc.constantFrom("USD", "EUR", "JPY", "KRW", "KWD", "TND", "CLF", "XYZ")

/** A value as documented, sometimes anything else, sometimes missing. */
export const perhaps = <A>(documented: fc.Arbitrary<A>) =>
  fc.oneof(
    { weight: 6, arbitrary: documented as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: fc.constant(undefined) as fc.Arbitrary<unknown> }
  )

export const price = fc.record({
  amount: perhaps(fc.nat({ max: 10_000_000 })),
  currency: perhaps(fc.oneof(fc.constant("USD"), currencies))
})
