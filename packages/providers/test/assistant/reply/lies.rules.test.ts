import { describe, expect, it } from "vitest"
import { builtReply, keptText } from "../../../src/assistant/reply/ReplyText.ts"
import { anker, good, sony } from "../goods.ts"
import { context, toProduct } from "./replies.ts"

/*
 * Lies by what they are made of, each with the rule that drops it, and honest sentences that the rule keeps.
 */

const lamp = toProduct(good({ asin: "B000000004", title: "Lumo Desk Lamp, 5 W", price: 60 }))
const products = [toProduct(anker), toProduct(sony), lamp]
const request = "wireless headphones"

const withTitle = (title: string) => [...products, toProduct(good({ asin: "B000000005", title }))]
const kept = (text: string, title = "") =>
  keptText(text, context({ products: title === "" ? products : withTitle(title), limits: [], request }))

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
const pairsOf = (text: string): ReadonlyArray<readonly [title: string, sentence: string]> =>
  linesOf(text).map((line) => {
    const [title = "", sentence = ""] = line.split(" | ")
    return [title, sentence]
  })

describe("a number of a title", () => {
  it.each(
    pairsOf(`
    Nike Size 10 Left Hand Glove | The Nike has 10 left.
    Nike Size 10 Left Hand Glove | Nike 10 left: light and soft.
    Nike Size 10 Left Hand Glove | The Nike Size 10 left is light.
    Lumo Desk Lamp, 5 W | Lumo Desk Lamp: 5, light and soft.
    Lumo Desk Lamp, 5 W | The Lumo Desk Lamp - 5 - is light.
    Vita 30 Day Detox Tea | You can use it at home in 30 day.
    Sony 10 Gift Edition | The Sony has 10 gift.
    Echo Box 5 People Game | The Echo has 5 people.`)
  )("states no stock, price or time: %s: %s", (title, lie) => {
    expect(kept(lie, title)).toBe("")
  })

  it.each(
    pairsOf(`
    Glut Vacuum Flask, 1 L, Steel | The “Glut Vacuum Flask” has a 1 L body.
    Inselreich Board Game, 2-4 Players | The “Inselreich Board Game” works well for 2-4 players.
    Nike Size 10 Left Hand Glove | The “Nike Size 10 Left Hand Glove” is light.`)
  )("may have a unit: %s: %s", (title, sentence) => {
    expect(kept(sentence.replace(/[“”]/g, ""), title)).toBe(sentence)
  })
})

describe("words of a title", () => {
  it.each(
    pairsOf(`
    Coming Home Lamp | The choice is coming home.
    Coming Home Lamp | My pick is coming home.
    Coming Home Lamp | The Sony, coming home, is light.
    Gone With The Wind Novel | The choice is gone with the wind.
    It Ends With Us Novel | The Sony, it ends with us, is light.
    Lamp Coming with Warm Light for Your Home and Garden Now Yours | The Lamp coming home yours is light.
    Set of Cups for the Home You Have Always Wanted | The cups you have is light.`)
  )("state nothing where they stand alone or apart: %s: %s", (title, lie) => {
    expect(kept(lie, title)).toBe("")
  })

  it.each(
    pairsOf(`
    Ridgeway Waterproof Trail Running Shoes, Men's | The “Ridgeway Waterproof Trail Running Shoes” are light.
    Gone With The Wind Novel | My pick is the “Gone With The Wind Novel”.
    Coming Home Lamp | The “Coming Home Lamp” and the “Sony WH-CH520 Wireless Headphones” are light.`)
  )("may name it: %s: %s", (title, sentence) => {
    expect(kept(sentence.replace(/[“”]/g, ""), title)).toBe(sentence)
  })
})

describe("a time or a motion that would be a delivery", () => {
  it.each(
    linesOf(`
    You can use it at home in hours.
    You can use it at home after dinner.
    You can use it at home before breakfast.
    You can wear it this winter.
    You can use it at home on your birthday.
    You can use it at home quickly.
    It rolls into your home after dinner.
    It slides into your kitchen.
    You can move it into your kitchen.
    Der Sony passt in deine Wohnung in Stunden.
    Du kannst sie nach dem Essen zuhause nutzen.
    Du kannst sie gerade zuhause nutzen.
    Der Sony ist leicht unterwegs.
    Le Sony se glisse dans votre maison.
    Il Sony entra in casa.
    Puedes llevar este a casa.
    Puoi portare questo a casa.
    Pode levar este para casa.
    Te puedes llevar la Lumo.
    It comes in a case at night.
    It comes with a kit at your desk.
    You will welcome the kit at home.
    It comes with great speed.
    Du kannst sie zuhause mitnehmen.
    The Sony holds for you at home.
    It folds up for you.
    It is for your mother.
    You can use your kit at home.
    It is nice at your entrance.
    It is light near your home.`)
  )("%s", (lie) => {
    expect(kept(lie)).toBe("")
  })

  it.each(
    linesOf(`
    You can wear it at home for hours.
    You can use it at night.
    It keeps your feet warm in winter.
    At home, it is quiet.
    It folds into a small case.
    It comes in a practical case.
    It comes with a strap for travel.
    Er eignet sich gut für kalte Nächte im Zelt.`)
  )("is not: %s", (sentence) => {
    expect(kept(sentence)).toBe(sentence)
  })
})

describe("an idiom of price or stock", () => {
  it.each(
    linesOf(`
    It is easy on the pockets.
    It is easy on the household.
    It is light on your bag.
    It is gentle on the family.
    It is good for small dough.
    It is made for small dough.
    You can use it for small notes.
    It is thin on the ground.
    The Sony is great while it lasts.
    It is made for life.
    It is for a coffee.
    It is light on hand.
    It is good at hand.
    It looks good on the shelf.
    It is nice in store.
    It is fine in storage.
    It is nice in the basket.
    It is perfect in the store.
    It fits the store.
    La Lumo es ideal en la tienda.
    Der Sony ist gut im Regal.
    Riduce molto bene.
    Il réduit vraiment.`)
  )("%s", (lie) => {
    expect(kept(lie)).toBe("")
  })

  it.each(
    linesOf(`
    It is light on the skin.
    It is easy on the eyes.
    It is kind to your feet.
    It is comfortable on long flights.
    It is easy to store.
    It is great for reading and cooking.
    Ideal para correr y viajar.
    Er ist gut beim Lesen.`)
  )("is not: %s", (sentence) => {
    expect(kept(sentence)).toBe(sentence)
  })
})

describe("the opinion of others", () => {
  it.each(
    linesOf(`
    It is great in people's eyes.
    The Sony is the people's choice.
    It is a runner's choice.
    The Sony works well with readers.
    The Sony is great with runners.
    The Sony is great in the eyes of readers.
    The Sony is the choice of music lovers.
    It makes people happy.
    The Sony keeps readers happy.
    The Sony draws people.
    The Sony is hot in winter.
    It has excellent readings.
    Der Sony schneidet sehr gut bei Kindern ab.
    Der Sony schneidet sehr gut bei Kindern.
    Der Sony schneidet sehr gut.`)
  )("%s", (lie) => {
    expect(kept(lie)).toBe("")
  })

  it.each(
    linesOf(`
    It suits runners and hikers.
    It is a good choice for readers.
    It keeps your daughter warm.
    It is soft on your baby's skin.
    Your mother may enjoy the “Sony WH-CH520 Wireless Headphones”.`)
  )("is not whom it suits: %s", (sentence) => {
    expect(kept(sentence.replace(/[“”]/g, ""))).toBe(sentence)
  })
})

describe("a confirmation, or a claim of safety", () => {
  it.each(
    linesOf(`
    Muy bien, es perfecto.
    Certainly, it is light.
    Definitely, it is good.
    You can drink it.
    Puedes beber este.
    It protects your baby from heat.`)
  )("%s", (lie) => {
    expect(kept(lie)).toBe("")
  })

  it.each(
    linesOf(`
    Overall, it is light.
    Además, es ligero.`)
  )("is not: %s", (sentence) => {
    expect(kept(sentence)).toBe(sentence)
  })
})

describe("a claim in a title", () => {
  const list = (title: string) =>
    builtReply(context({ products: [toProduct(good({ asin: "B000000005", title }))] }))

  it.each(
    pairsOf(`
    Kopfhörer Sonderangebot Leicht | Das Sonderangebot ist leicht.
    Inexpensive Sony Lamp | The inexpensive Sony is light.
    Sony Lowcost Lamp | The Sony lowcost lamp is light.
    Verkaufsschlager Sony | Der Verkaufsschlager ist leicht.
    Lamp Closeout | The Lamp Closeout is light.
    Chéap Sony Lamp | The chéap Sony is light.
    ꜰʀᴇᴇ Sony Lamp | The ꜰʀᴇᴇ Sony is light.
    Sony сheap Lamp | The Sony сheap is light.
    包邮 Sony | The 包邮 Sony is light.
    Editor's Choice Sony Lamp | The Editor's Choice Sony is light.
    Next Day Sony Lamp | The Next Day Sony is light.
    Black Friday Sony Lamp | The Black Friday Sony is light.
    Sony Lamp 19.99 | The Sony Lamp 19.99 is light.
    BOGO Sony Lamp | The BOGO Sony is light.`)
  )("of one word is neither said nor listed: %s: %s", (title, lie) => {
    expect(kept(lie, title)).toBe("")
    expect(list(title)).toContain("- B000000005")
  })

  it.each(
    linesOf(`
    s a l e lamp
    Black Friday Lamp
    Lamp 3 Left
    No.1 Lamp
    特价 台灯
    ランプ 激安
    램프 할인
    Лампа настольная дешево
    Ausverkauf Lampe
    Liquidación Lámpara`)
  )("is not listed: %s", (title) => {
    expect(list(title)).toContain("- B000000005")
  })

  it.each(
    linesOf(`
    Klarvo Kids Volume-Limited Wireless Headphones
    Queen of Hearts Costume
    Gone Girl
    Overnight Oats Jar
    Birkenstock Arizona Sandals
    Soldering Iron
    Compromise Board Game
    Écouteurs Sans Fil
    LED 台灯 护眼
    Лампа настольная
    Einkaufstasche faltbar`)
  )("is no harmless title: %s", (title) => {
    expect(list(title)).toContain(`- “${title}”`)
  })

  it.each(
    pairsOf(`
    Klarvo Kids Volume-Limited Wireless Headphones | The “Klarvo Kids Volume-Limited Wireless Headphones” are soft.
    Queen of Hearts Costume | The “Queen of Hearts Costume” is soft.
    Overnight Oats Jar | The “Overnight Oats Jar” is light.`)
  )("may be named where it is none: %s: %s", (title, sentence) => {
    expect(kept(sentence.replace(/[“”]/g, ""), title)).toBe(sentence)
  })

  it.each(
    pairsOf(`
    Sony Overnight Bag | I recommend the Sony overnight.
    Sony Limited Edition Lamp | The Sony limited is light.
    Nike Left Hand Glove | The Nike left is light.`)
  )("is no name that ends in it: %s: %s", (title, lie) => {
    expect(kept(lie, title)).toBe("")
  })
})
