import { describe, expect, it } from "vitest"
import { keptText } from "../../../src/assistant/reply/ReplyText.ts"
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
    Glut Vacuum Flask, 1 L, Steel | It has a 1 L body.
    Inselreich Board Game, 2-4 Players | It works well for 2-4 players.
    Nike Size 10 Left Hand Glove | The Nike Size 10 left hand glove is light.`)
  )("may have a unit: %s: %s", (title, sentence) => {
    expect(kept(sentence, title)).toBe(sentence)
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
    Ridgeway Waterproof Trail Running Shoes, Men's | The Ridgeway trail running shoes are light.
    Gone With The Wind Novel | My pick is the Gone With The Wind Novel.
    Coming Home Lamp | The Coming Home and the Sony are light.`)
  )("may name it: %s: %s", (title, sentence) => {
    expect(kept(sentence, title)).toBe(sentence)
  })
})
