import { decoder } from "../../src/http/Input.ts"
import { buyFaults, BuyRequest } from "../../src/shop/goods/Order.ts"

export const dp = "https://shop.example/dp/B0ABCDEFGH"
export const store = "https://store.example/products/tote"

export const decodeBuy = decoder(BuyRequest, buyFaults)

export const address = {
  name: "Ada Lovelace",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}
export const request = { email: "ada@shop.example", asin: "B0ABCDEFGH", shippingAddress: address }

interface Fault {
  readonly path: string
  readonly message: string
}

/** The faults in a caller's response, by path. */
export const faultsOf = (input: unknown): ReadonlyArray<Fault> => {
  const decoded = decodeBuy(input)
  return decoded._tag === "Success" ? [] : decoded.failure
}
export const pathsOf = (input: unknown) =>
  faultsOf(input)
    .map(({ path }) => path)
    .sort()
