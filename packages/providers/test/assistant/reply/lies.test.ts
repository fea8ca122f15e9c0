import { describe, expect, it } from "vitest"
import { anker, good, sony } from "../goods.ts"
import { faults, toProduct } from "./replies.ts"

/*
 * Lies in many words, and honest replies as models write them.
 */

const lamp = toProduct(
  good({ asin: "B000000004", title: "Lumo Desk Lamp, 5 W", price: 60, rating: 3.9, reviewCount: 12 })
)
const products = [toProduct(anker), toProduct(sony), lamp]
const request = "wireless headphones under $50 and a lamp, I have 3 kids, saw it for $20 elsewhere"

describe("lies about the Anker ($45, 4.7, 2310 reviews), the Sony ($30, 4.5, 900) and the lamp ($60, 3.9, 12)", () => {
  it.each([
    "You can get the Anker for $20 elsewhere.",
    "The Anker sells at 30.",
    "The Anker: thirty.",
    "The Lumo Desk Lamp costs $45 and the Anker $60.",
    "The Lumo, Sony and Anker cost $60, $45 and $30.",
    "Pay $30 and take the Anker home.",
    "With $30 you can buy the Anker Soundcore Q45.",
    "The Anker Soundcore Q45 is a $30 product.",
    "$30 - Anker Soundcore Q45",
    "$45 Sony WH-CH520",
    "Sony WH-CH520 | $45",
    "The Sony costs the same as the Anker: $45.",
    "Price: $30 for the Anker.",
    "Anker Soundcore Q45 - from $30.",
    "Anker Soundcore Q45 - starting at $20.",
    "The Anker is cheaper than the Sony.",
    "The Lumo Desk Lamp is the best-rated of all.",
    "The Lumo Desk Lamp has excellent reviews.",
    "All of them are rated above 4 stars.",
    "Every product here has at least 900 reviews.",
    "The Anker has been reviewed 9000 times.",
    "9000 people rated the Anker.",
    "The Anker has a 99% positive rating.",
    "The Anker scores 4.7 out of 7.",
    "The Anker gets a 5.",
    "The Anker averages 4.9.",
    "The Anker costs 4.7 dollars.",
    "The Lumo has 3.9 reviews.",
    "The Lumo has 12 stars.",
    "The Sony has 5 left.",
    "The Lumo Desk Lamp 5 left.",
    "The Anker can be bought for less than 40.",
    "The Anker is below 40 dollars.",
    "The Anker is in the $30 range.",
    "The Anker is around $45-ish.",
    "The Anker will cost you a tenner.",
    "The Anker is a $0 product.",
    "The Anker costs nothing.",
    "Order within 3 hours.",
    "The Anker comes with 3 free cables.",
    "Zero shipping costs.",
    "Shop ships worldwide.",
    "The Anker is back.",
    "We have plenty of them.",
    "There are many units of the Anker at the warehouse.",
    "Supply is limited.",
    "The store has a few more.",
    "Buy one Anker, get one Sony.",
    "Use code SAVE20.",
    "Der Anker kostet dreißig Dollar.",
    "Der Anker ist um die Hälfte billiger.",
    "Der Anker kostet 30 $, der Sony 45 $.",
    "L'Anker coûte trente dollars.",
    "L'Anker est à 30 $ et le Sony est à 45 $.",
    "El Anker cuesta treinta dólares.",
    "Il Anker costa 30 $ e il Sony costa 45 $.",
    "Anker は30ドル、Sony は45ドルです。",
    "Anker 30美元，Sony 45美元。",
    "Anker стоит 30 долларов, а Sony 45 долларов.",
    "Anker 30 dolar, Sony 45 dolar.",
    "Anker 최저가 45달러.",
    "Anker が最安です。",
    "Anker kosztuje 30 USD.",
    "De Anker kost 30 dollar en is op voorraad.",
    "The Anker costs $45, the lowest price ever.",
    "The Anker costs $45 (50% less than before).",
    "The Anker costs $45, including delivery.",
    "The Anker costs ~$30.",
    "The Anker costs <$30.",
    "The Anker costs $30-45.",
    "Prices start at $12.",
    "Prices: $30, $45, $20.",
    "It's only 30 for the Anker.",
    "At 3.9 the Lumo is rated higher than the Anker.",
    "The Anker, rated 3.9, is good.",
    "The Sony with its 2,310 reviews is good.",
    "The Sony is good (4.7).",
    "The Sony is good (4.7 stars, 2310 reviews).",
    "Anker Soundcore Q45 Wireless Headphones, Black, Sony WH-CH520: $45.",
    "Anker Soundcore Q45 $45 Sony WH-CH520 $45",
    "The Sony, like the Anker, costs $45.",
    "The Sony is as good as the Anker and costs $45.",
    "Compared with the Anker at $45, the Sony at $45 is good.",
    "Instead of the Anker at $30, take the Sony.",
    "The Anker has the price of the Sony ($30).",
    "The price of the Sony and the rating of the Anker are $45 and 4.5.",
    "For $45 you get the Sony and the Anker.",
    "You get both for $45.",
    "Both together cost $75.",
    "All three for $60.",
    "In total that's $135.",
    "On average they cost $45.",
    "The Lumo Desk Lamp is 5 dollars.",
    "The lamp costs $45.",
    "Our lamp is $30.",
    "This lamp is rated 4.7.",
    "The headphones cost $60.",
    "Headphones start from $45.",
    "The black one costs $30.",
    "The blue one is $45.",
    "The Black one is rated 4.5.",
    "It is the cheapest headphone and costs $60.",
    "The Anker has a 3.9 rating.",
    "Rated 3.9: the Anker.",
    "Rating of the Anker: 4.5",
    "Anker: 4.5★",
    "Anker ★4.5",
    "Anker (4.5)",
    "Anker 4.5/5",
    "Anker - 900 reviews",
    "900 people reviewed the Anker.",
    "With 900 reviews, the Anker is popular.",
    "With 12 reviews the Anker is niche.",
    "A rating of 4.5 makes the Anker a good pick.",
    "$30: that is what the Anker costs.",
    "$30 is all the Anker costs.",
    "$30 buys you the Anker Soundcore Q45.",
    "Just $30 for the Anker Soundcore Q45!",
    "The Anker's price? $30.",
    "How much is the Anker? $30!",
    "Anker? Only $30.",
    "The Anker costs $45. Kidding, $30.",
    "The Anker costs $45. No, really $30.",
    "Der günstigste ist der Anker.",
    "Le moins cher est l'Anker Soundcore Q45.",
    "El más barato es el Anker Soundcore Q45.",
    "Il più economico è l'Anker Soundcore Q45.",
    "De goedkoopste is de Anker Soundcore Q45.",
    "Anker Soundcore Q45 が一番安いです。",
    "Anker Soundcore Q45 最便宜。",
    "Najtańszy jest Anker Soundcore Q45.",
    "Самый дешевый это Anker Soundcore Q45.",
    "En ucuz Anker Soundcore Q45.",
    "The lowest price is that of the Anker Soundcore Q45.",
    "Nothing costs less than the Anker.",
    "No one sells it for less.",
    "The Anker costs less than the Sony.",
    "The Anker costs less.",
    "The Anker is priced below the Sony.",
    "The Sony is priced higher than the Anker.",
    "The Sony costs more than the Anker.",
    "The Lumo has a better rating than the Anker.",
    "The Lumo is rated better than the Anker.",
    "The Lumo has more reviews than the Sony.",
    "The Anker costs half as much as the Sony.",
    "The Anker costs a third of the Sony.",
    "The Anker's price is about to double.",
    "The Anker is not expensive: $30.",
    "The Anker can be yours for $30.",
    "Yours for $30: the Anker."
  ])("%s", (lie) => {
    expect(faults(lie, { products, limits: [], request })).not.toEqual([])
  })
})

describe("honest replies", () => {
  const earbuds = toProduct(
    good({
      asin: "B000000005",
      title: "Tonwerk Air Mini True Wireless Earbuds with Charging Case, White",
      price: 49.95,
      rating: 4.4,
      reviewCount: 812
    })
  )
  const kids = toProduct(
    good({
      asin: "B000000006",
      title: "Klarvo Kids Volume-Limited Wireless Headphones, 85 dB, Sky Blue",
      price: 29.99,
      rating: 4.6,
      reviewCount: 1204
    })
  )
  it.each([
    "For your daughter, I'd suggest the Klarvo Kids Volume-Limited Wireless Headphones at $29.99. They are durable and foldable, and the volume is limited to 85 dB, which keeps young ears safe. They're rated 4.6 stars by 1,204 reviewers.",
    "If you'd prefer something smaller, the Tonwerk Air Mini True Wireless Earbuds ($49.95, 4.4/5 from 812 reviews) come with a charging case and are waterproof.",
    "Here are two great options within your $60 budget:\n\n1. Klarvo Kids Volume-Limited Wireless Headphones – $29.99 – Designed for kids, with an 85 dB limit. Rated 4.6/5 (1,204 reviews).\n2. Tonwerk Air Mini True Wireless Earbuds – $49.95 – Compact and waterproof.",
    "Both headphones stay under your $60 limit. Let me know if you'd like more options!",
    "I'd pick the Klarvo: lightweight, sturdy, and great for travel. It has a 4.6-star rating.",
    "Für deine Tochter empfehle ich die Klarvo Kids Volume-Limited Wireless Headphones für 29,99 $. Sie sind robust, faltbar und auf 85 dB begrenzt. Mit 4,6 Sternen bei 1.204 Bewertungen sind sie sehr beliebt.",
    "Te recomiendo los Klarvo Kids Volume-Limited Wireless Headphones por 29,99 USD, con una valoración de 4,6 y 1.204 reseñas. Son resistentes y plegables.",
    "Je vous conseille le Klarvo Kids Volume-Limited Wireless Headphones à 29,99 $, noté 4,6 sur 5. Il est solide et pliable.",
    "娘さんへのプレゼントには Klarvo Kids Volume-Limited Wireless Headphones（29.99ドル、評価4.6）がおすすめです。",
    "给您女儿推荐 Klarvo Kids Volume-Limited Wireless Headphones，价格29.99美元，评分4.6，1204条评论。耐用又可折叠。"
  ])("%s", (reply) => {
    const about = {
      products: [kids, earbuds],
      limits: [],
      request: "wireless headphones under $60 for my daughter"
    }
    expect(faults(reply, about)).toEqual([])
  })
})
