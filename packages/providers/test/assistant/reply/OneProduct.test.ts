import { describe, expect, it } from "vitest"
import { oneOfEach } from "../../../src/assistant/reply/OneProduct.ts"
import { good } from "../goods.ts"

const marketplace = (title: string, index: number) => good({ asin: `B00000000${index}`, title })

const storefront = (productUrl: string, index: number) =>
  good({ asin: `B00000000${index}`, title: `Item ${index}`, productUrl, source: "marketplace_b" })

const kept = (products: ReadonlyArray<ReturnType<typeof good>>) =>
  oneOfEach(products, (product) => product).map(({ asin }) => Number(asin.slice(-1)))

describe("one of each product", () => {
  it.each([
    ["Sony WH-CH520 Wireless Headphones, Blue", "Sony WH-CH520 Wireless Headphones, Black"],
    ["Sony WH-CH520 Wireless Headphones (Blue)", "SONY WH-CH520 Wireless Headphones (Matte Black)"],
    ["Sony WH-CH520 Headphones - Blue", "Sony WH-CH520 Headphones – Black"],
    ["Sony WH-CH520 Headphones", "Sony WH-CH520 Headphones, Black"]
  ])("is the first of %s and %s", (first, second) => {
    expect(kept([first, second].map(marketplace))).toEqual([0])
  })

  it.each([
    ["another model", "Sony WH-CH520 Headphones, Blue", "Sony WH-CH720 Headphones, Blue"],
    ["another capacity", "Samsung T7 Portable Drive, 1TB", "Samsung T7 Portable Drive, 2TB"],
    ["another size of a pack", "AA Batteries for Toys (8 pack)", "AA Batteries for Toys (48 pack)"],
    ["a short name", "Lamp, Red", "Lamp, Blue"],
    ["another thing of a brand", "Anker Power Bank, Black", "Anker Desk Charger, Black"]
  ])("are both where one is %s", (_, first, second) => {
    expect(kept([first, second].map(marketplace))).toEqual([0, 1])
  })

  it("is one of a storefront's page, whose query names the variant", () => {
    const page = "https://tote.example/products/tote"
    expect(kept([`${page}?variant=1`, `${page}?variant=2`].map(storefront))).toEqual([0])
    expect(kept([`${page}?variant=1`, `${page}-two?variant=2`].map(storefront))).toEqual([0, 1])
    expect(kept(["https://a.example/item?id=1", "https://a.example/item?id=2"].map(storefront))).toEqual([
      0, 1
    ])
  })

  it("is each merchant's own", () => {
    const [first, second] = ["https://a.example/x", "https://b.example/x"].map((productUrl, index) =>
      good({ asin: `B00000000${index}`, title: "Linen Tote Bag, Red", productUrl })
    )
    expect(kept([first!, second!])).toEqual([0, 1])
  })
})
