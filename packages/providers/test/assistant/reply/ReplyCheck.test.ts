import { describe, expect, it } from "vitest"
import { builtReply, keptText, replyText } from "../../../src/assistant/reply/ReplyText.ts"
import { anker, good, sony } from "../goods.ts"
import { context, faults, toProduct } from "./replies.ts"

describe("harmless sentences", () => {
  it.each([
    "The Anker Soundcore Q45 is a good choice for travel.",
    "Here are 2 great headphones for you.",
    "Here are two great headphones for you.",
    "1. Anker Soundcore Q45: light, sturdy and comfortable.",
    "It has a long battery life.",
    "The Sony WH-CH520 headphones are a nice pick, and they're easy to carry.",
    "The Anker is light: https://marketplace.example/dp/B000000001.",
    "Der Anker Soundcore Q45 ist leicht und bequem.",
    "Le Sony WH-CH520 est confortable et léger.",
    "El Sony WH-CH520 es ligero y cómodo.",
    "Il Sony WH-CH520 è leggero e comodo.",
    "O Sony WH-CH520 é leve e confortável."
  ])("%s", (sentence) => {
    expect(faults(sentence)).toEqual([])
  })

  it("says that nothing was found only after a search", () => {
    const nothing = { products: [] }
    expect(faults("I'm sorry, I found nothing.", nothing)).toEqual([])
    expect(faults("I'm sorry, I found nothing.", { ...nothing, hasSearched: false })).toHaveLength(1)
    expect(faults("I can't help with that request.", { ...nothing, hasSearched: false })).toEqual([])
  })

  it("says that nothing was found only if nothing is returned", () => {
    expect(faults("I'm sorry, I can't help with that request.", { products: [] })).toEqual([])
    expect(faults("I'm sorry, I can't help with that request.")).toHaveLength(1)
  })
})

describe("sentences about price, rating or availability, and all that can't be understood", () => {
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
    ["letters of two alphabets", "The Anker is in stосk."],
    ["a true price, too", "The Anker Soundcore Q45 costs $45."],
    ["a comparison", "The Sony is cheaper."],
    ["another number than the returned products", "Here are three great headphones for you."],
    ["an address that goes on", "The Anker is https://marketplace.example/dp/B000000001light."],
    ["an address after a word", "The Anker is lighthttps://marketplace.example/dp/B000000001."],
    ["a path after an address", "The Anker is light: https://marketplace.example/dp/B000000001/soft."],
    [
      "a query after an address",
      "The Anker is light: https://marketplace.example/dp/B000000001 ?soft and light."
    ],
    ["a handle", "The Anker is good, @till."],
    ["a new domain", "The Anker is good: light.travel."],
    ["a code", "Use SAVE at home."],
    ["an invisible letter", "The Anker is ch\u3164eap."],
    ["words of two languages", "The Anker ist good."],
    ["Finnish", "Anker on halvempi."],
    ["two scores", "The Anker is 5:5."]
  ])("%s: %s", (_, sentence) => {
    expect(faults(sentence)).toHaveLength(1)
  })
})

describe("the kept part of a reply", () => {
  it.each([
    [
      "The Anker Soundcore Q45 ($45, rated 4.7) is light.",
      "The “Anker Soundcore Q45 Wireless Headphones” is light."
    ],
    [
      "The Anker Soundcore Q45 (only $1!) is light.",
      "The “Anker Soundcore Q45 Wireless Headphones” is light."
    ],
    ["The Anker Soundcore Q45 at $45 is light.", "The “Anker Soundcore Q45 Wireless Headphones” is light."],
    [
      "I recommend the Sony WH-CH520, rated 4.5 stars.",
      "I recommend the “Sony WH-CH520 Wireless Headphones”."
    ],
    [
      "Within your $50 budget, the Sony WH-CH520 is a good choice.",
      "The “Sony WH-CH520 Wireless Headphones” is a good choice."
    ],
    [
      "- Sony WH-CH520 – $30 – light and comfortable",
      "- “Sony WH-CH520 Wireless Headphones” - light and comfortable"
    ],
    [
      "Der Anker Soundcore Q45 für 45 USD ist bequem.",
      "Der “Anker Soundcore Q45 Wireless Headphones” ist bequem."
    ],
    ["The Anker costs $45.", ""],
    ["The Anker is light 💰⭐⭐⭐⭐⭐.", "The “Anker Soundcore Q45 Wireless Headphones” is light."]
  ])("of %s", (reply, kept) => {
    expect(keptText(reply, context())).toBe(kept)
  })

  it("keeps lines and paragraphs", () => {
    const reply =
      "Here are my picks:\n\n- Anker Soundcore Q45: light\n- Sony WH-CH520: $99\n\nEnjoy your music with them!"
    expect(keptText(reply, context())).toBe(
      "Here are my picks:\n\n- “Anker Soundcore Q45 Wireless Headphones”: light\n\nEnjoy your music with them!"
    )
  })

  it("is empty if only signs are left", () => {
    expect(keptText("- $5!\n- 1.\n***", context())).toBe("")
  })

  it("has no invisible characters", () => {
    expect(keptText("The \u202eAnker\u200b is light\u0007.", context())).toBe(
      "The “Anker Soundcore Q45 Wireless Headphones” is light."
    )
  })
})

describe("a reply", () => {
  const list =
    "- “Anker Soundcore Q45 Wireless Headphones, Black”: $45.00, rated 4.7 (best rating), 2310 reviews\n" +
    "- “Sony WH-CH520 Wireless Headphones, Blue”: $30.00 (lowest price), rated 4.5, 900 reviews"

  it("ends with each product's price and rating", () => {
    expect(replyText("Both are light. Both cost $1.", context())).toBe(
      `About the products:\nBoth are light.\n\n${list}`
    )
  })

  it("is the list if nothing is kept", () => {
    expect(replyText("Both cost $1.", context())).toBe(`These products match your request:\n${list}`)
  })

  it("calls no price the lowest if another one is unknown, equal or in another currency", () => {
    const others = [
      { ...anker, price: null },
      { ...anker, price: 30 },
      { ...anker, currency: "EUR" }
    ]
    for (const other of others) {
      const about = context({ products: [toProduct(other), toProduct(sony)] })
      expect(builtReply(about)).not.toContain("lowest price")
    }
  })

  it.each([
    ["kabellose Kopfhörer für die Arbeit", "Diese Produkte passen zu deiner Anfrage:", "niedrigster Preis"],
    ["un casque sans fil pour le bureau", "Ces produits correspondent à votre demande :", "prix le plus bas"],
    ["auriculares para correr", "Estos productos se ajustan a su solicitud:", "precio más bajo"],
    ["cuffie per la corsa", "Questi prodotti corrispondono alla richiesta:", "prezzo più basso"],
    ["fones de ouvido para viagem", "Estes produtos correspondem ao seu pedido:", "menor preço"],
    ["ヘッドホン", "ご希望に合う商品:", "最低価格"],
    ["耳机", "符合您要求的商品:", "价格最低"],
    ["langattomat kuulokkeet", "These products match your request:", "lowest price"]
  ])("in the language of: %s", (request, opening, note) => {
    const reply = builtReply(context({ request }))
    expect(reply).toContain(opening)
    expect(reply).toContain(note)
  })

  it("names a product by its code if the title makes claims of its own", () => {
    for (const title of [
      "Lamp only $5",
      "Lamp, free shipping",
      "Lamp, pay at evil.example",
      "Bestseller lamp"
    ]) {
      const products = [toProduct(good({ asin: "B000000007", title, price: 60 }))]
      expect(builtReply(context({ products }))).toContain("- B000000007: $60.00")
    }
  })

  it("is bounded", () => {
    const reply = "The Anker Soundcore Q45 is a very good choice for you. ".repeat(100)
    const text = replyText(reply, context())
    expect(text.length).toBeLessThanOrEqual(2_000)
    expect(text).toContain(list)
  })
})

describe("a title of many words", () => {
  const titled = (title: string) => Array.from({ length: 5 }, () => ({ ...toProduct(sony), title }))

  it("doesn't delay the check", () => {
    // Before, this took minutes.
    const draft = `The ${"soft light ".repeat(25)}is light. `.repeat(20)
    const kept = keptText(draft, context({ products: titled("soft light ".repeat(182)) }))
    expect(kept).toContain("soft light is light.")
  })

  it("is known as far as the model sees it", () => {
    const products = titled(`${"Sony Blue ".repeat(16)}Radio`)
    expect(faults("The Sony is light.", { products })).toEqual([])
    expect(faults("The Radio is light.", { products })).toEqual([
      expect.stringContaining("can't be checked: radio")
    ])
  })
})

describe("the list of products", () => {
  const listed = (fields: Partial<typeof anker>) =>
    builtReply(context({ products: [toProduct({ ...anker, ...fields })] }))
      .split("\n")
      .at(-1)

  it.each(["Free Postage Lamp", "Five Star Headphones", "FDA Cleared Lamp", "台灯 包邮", "ランプ 送料無料"])(
    "shows the code instead of the title %s",
    (title) => {
      expect(listed({ title })).toContain(`- ${anker.asin}: `)
    }
  )

  it.each(["Only $5 today, free shipping", "https://evil.example/pay1", "free shipping today"])(
    "shows no code that is none: %s",
    (asin) => {
      expect(listed({ asin, title: "Lamp only $5" })).toContain("- A product: ")
    }
  )

  it("shows no price in what is no currency, and none below 0", () => {
    expect(listed({ currency: "usd, free shipping today" })).not.toMatch(/45\.00|shipping/i)
    expect(listed({ price: -5 })).not.toContain("5.00")
  })
})
