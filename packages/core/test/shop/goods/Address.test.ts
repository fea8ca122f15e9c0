import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { ShippingAddress } from "../../../src/shop/goods/Order.ts"
import { countryCodes } from "../../../src/shop/goods/Country.ts"
import { property } from "../../domain/seeded.ts"
import { address, request, faultsOf, pathsOf } from "../../domain/orderRequests.ts"

const withAddress = (changes: object) => ({ ...request, shippingAddress: { ...address, ...changes } })

describe("ShippingAddress", () => {
  const decode = Schema.decodeUnknownSync(ShippingAddress)

  it("of the United States is written as the post writes it, and the rest kept as it came", () => {
    const sent = {
      ...address,
      name: " Ada  Lovelace ",
      line2: "",
      phone: "",
      state: "new jersey",
      postalCode: " 071021234",
      country: "us"
    }
    expect(decode(sent)).toEqual({ ...sent, state: "NJ", postalCode: "07102-1234", country: "US" })
  })

  it.each([
    { city: "Zürich", state: "ZH", postalCode: "8001", country: "ch" },
    { city: "東京都千代田区", state: "東京都", postalCode: "〒100-0001", country: "JP" },
    { city: "Москва", state: "Москва", postalCode: "101000", country: "RU" },
    { city: "القاهرة", state: "القاهرة", postalCode: "١١٥١١", country: "EG" },
    { city: "Đà Nẵng", state: "Đà Nẵng", postalCode: "550000", country: "VN" },
    { city: "Toronto", state: "Ontario", postalCode: "M5V 2T6", country: "CA" },
    { city: "London", state: "-", postalCode: "SW1A 1AA", country: "GB" },
    { city: "Hong Kong", state: "Kowloon", postalCode: "none", country: "HK" },
    { city: "San Juan", state: "San Juan", postalCode: "00901", country: "PR" },
    {
      city: "大阪市",
      name: "ﾔﾏﾀﾞ 太郎",
      line1: "1丁目2−3",
      state: "27",
      postalCode: "5300001",
      country: "JP"
    },
    { city: "𠮷野", name: "👩‍🚀 O'Néill-Øst", line1: "№ 5/7 “Rue”", state: "x", postalCode: "x", country: "FR" }
  ])("of $country is kept as it came: $city", (changes) => {
    const sent = { ...address, ...changes }
    expect(decode(sent)).toEqual({ ...sent, country: sent.country.toUpperCase() })
    expect(faultsOf({ ...request, shippingAddress: sent })).toEqual([])
  })

  property("is taken whatever its text, outside the United States", 300, (rolled) => {
    const letters = [..."aZ09 -/.,'#éßøłЖدעव東京한👍"]
    const text = (longest: number) =>
      Array.from({ length: 1 + rolled.below(longest) }, () => rolled.pick(letters)).join("")
    const sent = {
      name: text(200),
      line1: text(200),
      line2: text(200),
      city: text(100),
      state: text(100),
      postalCode: text(20),
      country: rolled.pick(countryCodes.filter((code) => code !== "US"))
    }
    expect(decode(sent)).toEqual(sent)
  })

  property("once read it reads the same again", 100, (rolled) => {
    const sent = {
      ...address,
      ...rolled.pick([
        { state: "Oregon", postalCode: "97" },
        { state: "N.Y.", postalCode: "11" },
        { state: "us-ca", postalCode: "90" },
        { state: "Guam", postalCode: "969" },
        { state: "ae", postalCode: "09" }
      ])
    }
    const written = {
      ...sent,
      postalCode: `${sent.postalCode}${rolled.text("0123456789", 5 - sent.postalCode.length)}${rolled.pick(["", " ", "-"])}${rolled.text("0123456789", 4)}`
    }
    const once = decode(written)
    expect(decode(once)).toEqual(once)
  })

  it.each([
    ["an empty name", { name: "" }, "name"],
    ["a line break in a name", { name: "Ada\nLovelace" }, "name"],
    ["a null character", { city: "New\u0000ark" }, "city"],
    ["a lone surrogate", { line1: "\ud800" }, "line1"],
    ["a country of three letters", { country: "USA" }, "country"],
    ["a country that is no letters", { country: "U1" }, "country"],
    ["a country that does not exist", { country: "XX" }, "country"],
    ["a postal code that is too long", { postalCode: "0".repeat(21) }, "postalCode"],
    ["a number for a text", { state: 1 }, "state"],
    ["a US state that does not exist", { state: "ZZ" }, "state"],
    ["a US state of spaces", { state: "  " }, "state"],
    ["a province as a US state", { state: "Ontario", country: "us" }, "state"],
    ["a postcode as a ZIP code", { postalCode: "SW1A 1AA" }, "postalCode"],
    ["a ZIP code of four digits", { postalCode: "7102" }, "postalCode"],
    ["a phone of too few digits", { phone: "123" }, "phone"],
    ["words for a phone", { phone: "none" }, "phone"],
    ["an e-mail for a phone", { phone: "ada1234@shop.example" }, "phone"],
    ["markup for a phone", { phone: "<b>555 0100</b>" }, "phone"],
    ["a phone that is too long", { phone: "5".repeat(31) }, "phone"]
  ])("with %s is refused at its field", (_, changes, field) => {
    expect(pathsOf(withAddress(changes))).toEqual([`shippingAddress.${field}`])
    expect(() => decode({ ...address, ...changes })).toThrow()
  })

  it.each([
    "",
    " ",
    "5550",
    "+1 503 555 0100",
    "(503) 555-0100 ext. 12",
    "503.555.0100 x12",
    "1-800-FLOWERS",
    "+44 (0)20 7946 0958",
    "00 49 30/123456",
    "+1\u2011503\u2011555\u20110100",
    "\uff0b81 3\uff081234\uff095678",
    "٠١٠١٢٣٤٥٦٧٨",
    "tel:+15035550100",
    "*67,5035550100#"
  ])("takes %j for a phone as it is", (phone) => {
    expect(decode({ ...address, phone })).toEqual({ ...address, phone })
  })
})
