import { describe, expect, it } from "vitest"
import { trueText } from "../../../src/assistant/reply/ReplyText.ts"
import { anker, good, sony } from "../goods.ts"
import { context, faults, toProduct } from "./replies.ts"

describe("true sentences", () => {
  it.each([
    "The Anker Soundcore Q45 costs $45 and is rated 4.7 out of 5 from 2,310 reviews.",
    "The Anker Soundcore Q45 costs 45 US dollars.",
    "The Anker Soundcore Q45 costs USD 45.00.",
    "The Anker Soundcore Q45 is rated 4.7/5.",
    "The Sony WH-CH520 is $30.00 (4.5 stars).",
    "The $45 Anker Soundcore Q45 is a good choice, and so is the $30 Sony WH-CH520.",
    "Both are under $50.",
    "Within your $50 budget, the Anker Soundcore Q45 fits best.",
    "Here are 2 great headphones for you.",
    "Anker Soundcore Q45 ($45), Sony WH-CH520 ($30).",
    "1. Anker Soundcore Q45: $45, rated 4.7 stars, 2310 reviews.",
    "The cheapest is the Sony WH-CH520.",
    "The Sony is cheaper, and the Anker is the highest-rated.",
    "The Anker Soundcore Q45 is highly rated.",
    "It has a 40 hour battery.",
    "I can't check shipping.",
    "For $30, the Sony WH-CH520 is a good choice.",
    "The Sony WH-CH520 is a nice pick. It costs $30.",
    "The Sony WH-CH520 headphones are a nice pick. They cost $30 and have a 4.5-star rating.",
    "See https://marketplace.example/dp/B000000001.",
    "Der Anker Soundcore Q45 kostet 45,00 USD und hat 4,7 Sterne bei 2.310 Bewertungen.",
    "Le Sony WH-CH520 coûte 30 USD et il est noté 4,5 étoiles.",
    "El Sony WH-CH520 cuesta 30 dólares y tiene 900 reseñas.",
    "Il Sony WH-CH520 costa 30 dollari.",
    "Anker Soundcore Q45 は45ドルで、評価は4.7です。",
    "Anker Soundcore Q45 的价格是45美元，评分4.7。",
    "Sony WH-CH520 стоит 30 долларов и это хороший выбор."
  ])("%s", (sentence) => {
    expect(faults(sentence)).toEqual([])
  })

  it("a range of prices is that of all products", () => {
    expect(faults("They are between $30 and $45.")).toEqual([])
    expect(faults("They are between $35 and $45.")).toHaveLength(1)
  })

  it("one product needs no name", () => {
    expect(faults("It costs $30 and is rated 4.5 stars.", { products: [toProduct(sony)] })).toEqual([])
    expect(faults("It costs $45.", { products: [toProduct(sony)] })).toHaveLength(1)
  })

  it("another currency is that of the product", () => {
    const products = [toProduct(good({ asin: "X", title: "Lampe Nova", currency: "EUR", price: 1_299.5 }))]
    expect(faults("Die Lampe Nova kostet 1.299,50 € und ist gut.", { products, limits: [] })).toEqual([])
    expect(faults("La Lampe Nova est à 1 299,50 euros.", { products, limits: [] })).toEqual([])
    expect(faults("The Lampe Nova is $1,299.50.", { products, limits: [] })).toHaveLength(1)
  })
})

describe("false sentences", () => {
  it.each([
    ["another price", "The Anker Soundcore Q45 costs $39."],
    ["another product's price", "The Anker Soundcore Q45 costs $30."],
    ["exchanged prices", "The Anker costs $30 and the Sony costs $45."],
    ["one price for both", "Both cost $45."],
    ["one price for them", "They cost $45."],
    ["one price for a list", "Anker and Sony cost $45."],
    ["no product named", "It costs $45."],
    ["a product by order", "The first costs $45."],
    ["a price in words", "The Anker Soundcore Q45 costs only forty-five dollars."],
    ["a small price in words", "The Anker costs just ten bucks."],
    ["another lowest price", "The Anker Soundcore Q45 starts at $30."],
    ["a lowest price of none", "They start at $20."],
    ["another currency", "The Anker costs €45."],
    ["two currencies", "The Anker costs $45 EUR."],
    ["a magnitude", "The Anker costs $45k."],
    ["a price per month", "The Anker costs $45 per month."],
    ["cents", "The Anker costs 45 cents."],
    ["a price for two", "The Anker costs $45 for two."],
    ["a difference", "The Anker costs $45 less than the Sony."],
    ["Roman numerals", "The Anker costs XXX dollars."],
    ["a price of yesterday", "The Anker costs $45 until midnight."],
    ["a price that fell", "The price of the Anker has dropped."],
    ["no product clearly", "The wireless headphones cost $45."],
    ["a digit and a combining mark", "The Anker costs $4\u0336."],
    ["spaced digits", "The Anker costs $4 5."],
    ["a letter for a digit", "The Anker costs $4O."],
    ["a list in another order", "The Anker and the Sony cost $30 and $45."],
    ["less than its price", "The Anker costs less than $45."],
    ["more than its price", "The Anker costs over $45."],
    ["nearly its price", "The Anker costs nearly $45."],
    ["a limit that isn't met", "The Anker Soundcore Q45 is under $40."],
    ["a limit that one doesn't meet", "Both are under $45."],
    ["a denied price", "The Anker doesn't cost $45."],
    ["a denied limit", "None of them is under $50."],
    ["digits of other scripts", "The Anker costs $٩."],
    ["wide digits", "The Anker costs ＄９."],
    ["a fraction", "The Anker costs $4½."],
    ["circled digits", "The Anker costs $➒."],
    ["a number without a currency", "The Anker is 39 now."],
    ["its own price as a number of reviews", "The Anker has 45 reviews."],
    ["its number of reviews as a price", "The Anker costs $2310."],
    ["another rating", "The Anker is rated 4.9 stars."],
    ["another product's rating", "The Sony WH-CH520 is rated 4.7."],
    ["another scale", "The Anker is rated 4.7 out of 10."],
    ["stars as signs", "The Anker is rated ★★★★★."],
    ["stars in words", "The Anker is a five-star product."],
    ["a rating in words", "The Anker has four and a half stars."],
    ["another number of reviews", "The Sony has 2310 reviews."],
    ["many reviews", "Thousands of reviews praise the Anker."],
    ["more reviews", "The Sony has over 900 reviews."],
    ["the wrong cheapest", "The cheapest is the Anker Soundcore Q45."],
    ["the wrong best rated", "The Sony WH-CH520 is the best-rated one."],
    ["more expensive", "The Sony is more expensive."],
    ["stock", "They are in stock."],
    ["sold out", "The Anker is sold out."],
    ["few left", "Only 3 left!"],
    ["as many left as products", "There are 2 left of them."],
    ["running out", "They are about to run out."],
    ["a date of arrival without a number", "You will receive it tomorrow."],
    ["shipping", "Free shipping is included."],
    ["a date of arrival", "It arrives tomorrow."],
    ["a discount", "The Anker is 20% off."],
    ["an old price", "The Anker was $90, now $45."],
    ["a saving", "You save $45 with the Anker."],
    ["a sale", "The Anker is on sale for $45."],
    ["free", "The Anker is free."],
    ["a sales rank", "The Anker is a bestseller."],
    ["a stranger's address", "Buy it at https://evil.example/x."],
    ["an address without a scheme", "Buy it at evil.com now."],
    ["a mail address", "Write to sales@evil.example for it."],
    ["stock in German", "Der Anker ist auf Lager."],
    ["a discount in German", "Der Anker ist jetzt im Angebot und kostet 45 USD."],
    ["stock in French", "Le Anker est en stock."],
    ["stock in Spanish", "El Anker está disponible y es muy bueno."],
    ["shipping in Italian", "La spedizione è gratuita per il Sony."],
    ["stock in Japanese", "Anker は在庫あります。"],
    ["a discount in Chinese", "Anker 现在打折。"],
    ["stock in Korean", "Anker 재고 있습니다."],
    ["shipping in Russian", "Это с доставкой завтра."],
    ["a price in Chinese numerals", "Anker 只要五十美元。"],
    ["a language that can't be checked", "Tuote on heti varastossa."],
    ["an alphabet that can't be checked", "Το προϊόν είναι διαθέσιμο."],
    ["letters of two alphabets", "The Anker is in stосk."]
  ])("%s: %s", (_, sentence) => {
    expect(faults(sentence)).toHaveLength(1)
  })

  it("another product's words don't change what a sentence is about", () => {
    const speaker = toProduct(good({ asin: "S", title: "Portable Bluetooth Speaker, Walnut", price: 149 }))
    const products = [toProduct(anker), toProduct(sony), speaker]
    const about = { products, limits: [] }
    for (const lie of [
      "The Anker Soundcore Q45 is portable and costs $149.",
      "The Anker Soundcore Q45 works as a portable bluetooth speaker and costs $149.",
      "The Anker Soundcore Q45 is nice. It is also a bluetooth speaker and costs $149.",
      "The Anker Soundcore Q45 is nice. It costs $30, unlike the Sony WH-CH520.",
      "The Anker Soundcore Q45 is nice. It is portable and costs $149."
    ]) {
      expect([
        lie,
        trueText(lie, context(about)).includes("149") || trueText(lie, context(about)).includes("30,")
      ]).toEqual([lie, false])
    }
    for (const truth of [
      "My pick is the Anker Soundcore Q45 at $45.",
      "The Anker Soundcore Q45 is nice. I also like the Sony WH-CH520 at $30.",
      "The Anker Soundcore Q45 costs $45, while the Sony WH-CH520 costs $30.",
      "The Anker costs $45 and the Sony costs $30.",
      "I recommend the Sony at $30."
    ]) {
      expect([truth, faults(truth, about)]).toEqual([truth, []])
    }
  })

  it("numbers of a title are no price", () => {
    const products = [toProduct(good({ asin: "X", title: "Mega Deal Lamp only $5", price: 60 }))]
    expect(faults("The Mega Deal Lamp only $5 is a good pick.", { products })).toHaveLength(1)
  })

  it("a product that isn't returned has no price", () => {
    expect(faults("The Bose QuietComfort at $349 is too expensive.")).toHaveLength(1)
  })

  it("a limit that nobody stated is not mentioned without products", () => {
    const nothing = { products: [], request: "headphones under $50" }
    expect(faults("I found nothing under $50 for you.", nothing)).toEqual([])
    expect(faults("I found nothing under $500 for you.", nothing)).toHaveLength(1)
  })
})

describe("the true part of a reply", () => {
  it("a sentence that spoke of a dropped one is dropped as well", () => {
    const reply = "The Anker Soundcore Q45 is nice. The Sony WH-CH520 is in stock. It costs $30."
    expect(trueText(reply, context())).toBe("The Anker Soundcore Q45 is nice.")
  })

  it("keeps lines and paragraphs", () => {
    const reply =
      "Here are my picks:\n\n- Anker Soundcore Q45: $45\n- Sony WH-CH520: $99\n\nEnjoy your music with them!"
    expect(trueText(reply, context())).toBe(
      "Here are my picks:\n\n- Anker Soundcore Q45: $45\n\nEnjoy your music with them!"
    )
  })

  it("is empty if only signs are left", () => {
    expect(trueText("- $5!\n- 1.\n***", context())).toBe("")
  })

  it("is bounded", () => {
    const reply = "The Anker Soundcore Q45 is a very good choice for you. ".repeat(100)
    expect(trueText(reply, context()).length).toBeLessThanOrEqual(2_000)
  })

  it("has no invisible characters", () => {
    expect(trueText("The \u202eAnker\u200b Soundcore Q45 costs $45\u0007.", context())).toBe(
      "The Anker Soundcore Q45 costs $45."
    )
  })

  it("names a product by what its title begins with", () => {
    const other = toProduct({
      ...anker,
      asin: "B000000009",
      title: "Anker Soundcore Life Q20 Headphones",
      price: 60
    })
    const products = [toProduct(anker), other]
    expect(faults("The Anker Soundcore Life Q20 costs $60.", { products, limits: [] })).toEqual([])
    expect(faults("The Anker Soundcore Q45 costs $60.", { products, limits: [] })).toHaveLength(1)
  })
})
