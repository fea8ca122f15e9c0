import { describe, expect, it } from "vitest"
import { asinOfUrl, variantOfUrl } from "../../../src/shop/goods/ProductUrl.ts"
import { dp, store } from "../../domain/orderRequests.ts"

describe("asinOfUrl", () => {
  it.each([
    [dp, "B0ABCDEFGH"],
    ["https://shop.example/dp/b0abcdefgh", "B0ABCDEFGH"],
    ["https://shop.example/Canvas-Tote/dp/B0ABCDEFGH/ref=sr_1_1?q=tote", "B0ABCDEFGH"],
    ["https://shop.example/dp/B0ABCDEFGH?th=1", "B0ABCDEFGH"],
    ["https://shop.example/dp/B0ABCDEFGH#reviews", "B0ABCDEFGH"],
    ["https://shop.example/gp/product/B0ABCDEFGH", "B0ABCDEFGH"],
    ["https://shop.example/gp/aw/d/B0ABCDEFGH/", "B0ABCDEFGH"],
    ["https://shop.example/dp/B0ABCDEFG", undefined],
    ["https://shop.example/dp/B0ABCDEFGHI", undefined],
    ["https://shop.example/dp/B0ABCDEF-H", undefined],
    ["https://shop.example/product/B0ABCDEFGH", undefined],
    ["https://shop.example/products/tote?next=/dp/B0ABCDEFGH", undefined],
    ["https://shop.example/products/tote#/dp/B0ABCDEFGH", undefined],
    [store, undefined],
    ["", undefined]
  ])("finds in %s: %s", (url, asin) => {
    expect(asinOfUrl(url)).toBe(asin)
  })
})

describe("variantOfUrl", () => {
  it.each([
    [`${store}?variant=4001`, "4001"],
    [`${store}?colour=red&variant=4001#top`, "4001"],
    [`${store}?variant=4001&variant=4001`, "4001"],
    [`${store}?variant=&variant=4001`, "4001"],
    [`${store}?variant=`, undefined],
    [store, undefined],
    [`${store}#variant=4001`, undefined],
    ["not a url?variant=1", undefined]
  ])("finds in %s: %s", (url, variant) => {
    expect(variantOfUrl(url)).toBe(variant)
  })
})
