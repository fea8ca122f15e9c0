import { group, longName, measure, name, ofEachTitle, ofTitle } from "./NamePatterns.ts"
import {
  alt,
  at,
  many,
  type Matched,
  matches,
  opt,
  type Pattern,
  seq,
  shared,
  sign,
  some,
  word
} from "./Patterns.ts"

/*
 * The sentences that a model may say. A product is of a quality, has parts, does something, suits a use or a person; a
 * person may use or like it; the assistant recommends it. No sentence says where a product is, who has it, what somebody
 * did, or what happens next, so none can state an order, stock or a delivery.
 */

const advs = many(word("adv"))
const adj = seq(advs, word("adj"), opt(word("enough")))
const article = opt(word("det"))
const theOrThis = alt(word("det"), word("this"))
const possessive = alt(word("own"), word("poss"))
/** Not `your`: what is the shopper's is no part of a product. */
const ownDet = opt(alt(word("own"), seq(word("det"), opt(word("own")))))
const joint = alt(word("and"), seq(sign, opt(word("and"))))
const list = (part: Pattern): Pattern => seq(part, many(seq(joint, part)))

const thing = alt(word("noun"), word("trait"), word("part"))
const innerOf = (part: Pattern): Pattern => many(alt(seq(adj, opt(joint)), part))
const inner = innerOf(thing)
/** Numbers stand only with parts: with other things they could be prices, with prepositions times. */
const innerOfPart = innerOf(alt(thing, measure))
const innerOfKind = innerOf(alt(thing, measure, seq(word("person"), opt(word("genitive")))))
const after = many(adj)
const ofFeature = opt(seq(word("of"), ownDet, innerOfPart, alt(thing, measure), after))
/** The shopper's own people: the eyes, hearts and choice of others would be a rating. */
const ownPerson = seq(word("poss"), inner, word("person"))
const det = opt(alt(seq(ownPerson, opt(word("genitive"))), possessive, seq(word("det"), opt(possessive))))
const phrase = (head: Pattern): Pattern => seq(det, inner, head, after, ofFeature)
const somebody = seq(opt(alt(word("det"), word("poss"))), inner, word("person"), after)

/** Not `your kit`: the shopper has no part of a product. */
const partPhrase = seq(ownDet, inner, word("part"), after, ofFeature)
const feature = alt(phrase(alt(word("noun"), word("trait"))), partPhrase)
const features = list(feature)
/** What a product has or gives. */
const parts = list(seq(ownDet, innerOfPart, alt(word("trait"), word("part"), measure), after, ofFeature))
const object = alt(
  feature,
  seq(inner, word("doing"), after, ofFeature),
  seq(article, innerOfKind, word("kind"), after)
)
const objects = list(object)
/** What and whom a product is for. */
const usable = list(alt(object, somebody, group))

const spots = list(phrase(word("spot")))
/** No persons: `a hit with runners` would be a rating. */
const place = alt(seq(word("prep"), objects), seq(word("on"), spots), seq(word("upto"), alt(measure, group)))

/** Not `this`: `wear this evening` would be a time. */
const itself = at(({ lexicon, words }, place) =>
  lexicon.lengthsAt("this", words, place).length > 0
    ? []
    : lexicon.lengthsAt("it", words, place).map((length) => place + length)
)
/** What a person does with a product, in any order of words. */
const circumstance = alt(
  word("circ"),
  word("adv"),
  word("adj"),
  itself,
  place,
  seq(word("for"), usable),
  objects,
  ownPerson
)
const actionOf = (verb: Pattern): Pattern =>
  seq(many(alt(circumstance, word("dat"))), verb, many(circumstance))
const use = actionOf(word("use"))
const action = actionOf(alt(word("use"), word("hold")))
const actions = seq(action, many(seq(word("and"), word("use"), many(circumstance))))

const wishes = seq(
  advs,
  word("wish"),
  alt(usable, seq(word("to"), action)),
  many(alt(word("circ"), word("adv")))
)

const forUse = seq(word("for"), usable)
const forYou = seq(word("for"), alt(word("you"), word("other")))
const toUse = seq(word("to"), alt(actions, wishes))
const who = seq(somebody, word("who"), alt(action, wishes))
/** When a product is of use. Only a condition says what somebody wishes: others' wishes would be ratings. */
const when = alt(
  seq(word("if"), opt(word("modal")), alt(word("you"), word("other")), opt(word("be")), alt(action, wishes)),
  seq(
    word("when"),
    alt(
      seq(opt(word("modal")), word("you"), opt(word("be")), actions),
      seq(alt(word("other"), somebody), action),
      seq(advs, word("use"), many(circumstance))
    )
  )
)
const suits = alt(seq(word("with"), parts), forUse, seq(word("for"), who), toUse, when)
const suit = seq(opt(sign), alt(suits, forYou))
const how = alt(place, word("circ"), word("adv"))
/** Whom and what for, where, how. It never follows `is` at once. */
const extras = many(alt(suit, how))
/** Not `for you`: what is held or packed for the shopper is an order. */
const extrasOfVerb = many(alt(seq(opt(sign), suits), how))

const made = seq(word("made"), usable)
const quality = list(seq(alt(adj, made, seq(word("gentle"), spots)), extras))
const choice = seq(opt(alt(theOrThis, word("mine"))), inner, word("choice"), after, many(suit))
/** A gift is for somebody or of a quality; `is a gift` would promise it. */
const gift = seq(
  article,
  alt(
    seq(some(adj), opt(thing), word("gift"), after),
    seq(word("gift"), some(adj)),
    seq(inner, word("gift"), word("for"), usable)
  ),
  many(seq(opt(sign), alt(forUse, seq(word("for"), who))))
)
const kind = seq(word("det"), innerOfKind, some(word("kind")), after, many(suit))
const complement = alt(quality, choice, kind)

const may = alt(word("modal"), word("will"))
/** Not `comes in a case at night`, which would be a delivery. */
const comes = seq(word("comes"), parts, many(seq(opt(sign), forUse)))
const has = seq(word("has"), many(alt(word("adv"), word("dat"), word("you"))), parts, extrasOfVerb)
const doesTo = (verb: Pattern, whom: Pattern): Pattern =>
  seq(verb, many(alt(word("adv"), word("circ"), word("made"), adj, measure, list(whom), place)), extrasOfVerb)
const does = alt(
  doesTo(word("verb"), object),
  doesTo(word("suits"), alt(object, somebody, word("you"), word("dat")))
)
/** `a warm touch to your desk`; other verbs with `to` could move a product. */
const traits = list(phrase(word("trait")))
const adds = seq(word("adds"), traits, opt(seq(word("to"), features)), extrasOfVerb)
/** `it light` */
const objectMade = seq(alt(word("it"), word("you"), features, ownPerson), complement)
const makes = seq(word("make"), alt(objectMade, complement))
const helps = seq(
  word("help"),
  opt(alt(word("you"), word("dat"), somebody, feature)),
  opt(word("to")),
  alt(action, wishes, makes)
)
const looks = seq(word("look"), opt(word("dat")), alt(quality, some(word("adv"))), extrasOfVerb)
const deeds = alt(has, comes, does, adds, makes, helps, looks, seq(quality, word("be")))
const predicateOf = (deed: Pattern): Pattern => seq(opt(may), advs, deed)
const predicate = shared(predicateOf(alt(seq(word("be"), advs, complement), deeds)))
const predicates = list(predicate)
/** Only of what is found: other things, as a gift, would be free. */
const predicatesOfGift = seq(
  many(seq(predicate, joint)),
  predicateOf(seq(alt(word("be"), word("make")), advs, gift)),
  many(seq(joint, predicate))
)
const predicatesOfPart = list(predicateOf(alt(seq(word("be"), advs, quality), deeds)))

/** `Ridgeway trail running shoes` of a longer title. */
const named = (pattern: Pattern): Pattern => seq(pattern, opt(seq(innerOfKind, some(word("kind")))))
/** Goods that are found ones, by an article. */
const foundGoods = shared(
  alt(
    word("it"),
    seq(theOrThis, many(adj), opt(word("kind")), named(name)),
    seq(theOrThis, innerOfKind, ofTitle, some(word("kind")), after)
  )
)
const otherGoods = seq(theOrThis, innerOfKind, some(word("kind")), after)
/** After a sign alone, a name without an article could be a statement: `the Sony, gone with the wind, is`. */
const goodsOf = (withArticle: Pattern): Pattern => {
  const good = alt(withArticle, seq(many(adj), opt(word("kind")), named(name)))
  return seq(good, many(alt(seq(opt(sign), word("and"), good), seq(sign, withArticle))))
}
const foundOnes = goodsOf(foundGoods)
const goods = goodsOf(alt(foundGoods, otherGoods))
/** Goods that are recommended: found ones, by an article or a long name. */
const chosen = list(alt(foundGoods, named(longName)))
const partOfGood = seq(ownDet, innerOfPart, alt(word("part"), measure), after, ofFeature)
const aside = opt(seq(sign, word("adv"), sign))

const youMay = alt(
  seq(alt(seq(word("you"), word("modal")), seq(word("modal"), opt(word("you")))), opt(word("dat")), use),
  seq(word("you"), may, advs, word("like"), parts, extras)
)
/** Of the shopper's own people: others' opinions would be ratings. */
const personMay = seq(ownPerson, may, advs, word("like"), alt(goods, parts), many(suit))
const recommend = seq(
  many(alt(word("i"), word("dat"), word("modal"), word("adv"))),
  word("rec"),
  many(alt(word("i"), word("dat"), word("adv"))),
  chosen,
  many(suit),
  many(seq(joint, chosen, some(suit)))
)
const kindOf = (isKnown: Pattern): Pattern =>
  seq(opt(word("det")), innerOfKind, isKnown, some(word("kind")), after, many(suit))
/** The number of returned products; any other one is false. */
const count = at(({ lexicon, titles, words }, from) =>
  words[from] === String(titles.length) || words[from] === lexicon.numberOf(titles.length) ? [from + 1] : []
)
const found = alt(choice, kindOf(ofTitle), seq(count, alt(choice, gift, kindOf(ofEachTitle))))
/** `Here is a gift` could be a free one. */
const hereAre = alt(seq(word("here"), found), seq(word("thatIs"), alt(found, gift)))
const choiceIs = seq(choice, opt(word("modal")), word("be"), list(foundGoods), many(suit))

/** Languages with forms of the verb for a person may leave out `it`. */
const dropped = at(({ lexicon }, from) => (lexicon.dropsSubject ? [from] : []))
const clause = alt(
  seq(alt(seq(goods, aside), dropped), predicates),
  seq(alt(seq(foundOnes, aside), dropped), predicatesOfGift),
  seq(list(partOfGood), aside, predicatesOfPart),
  // German puts the verb first after an adverb: `so ist sie`.
  seq(word("be"), foundOnes, gift),
  seq(alt(word("be"), word("has"), word("look")), goods, alt(complement, parts)),
  youMay,
  personMay,
  recommend,
  hereAre,
  choiceIs
)
const leading = seq(
  alt(
    seq(word("beside"), goods),
    made,
    seq(word("for"), choice),
    forUse,
    seq(word("for"), who),
    place,
    when,
    toUse,
    word("circ"),
    word("link")
  ),
  opt(sign)
)
const further = alt(
  seq(alt(seq(sign, opt(word("conj"))), word("conj")), many(leading), clause),
  seq(opt(sign), word("conj"), predicatesOfPart),
  seq(opt(sign), word("making"), objectMade)
)
const joined = seq(many(leading), clause, many(further))
const item = alt(
  seq(foundOnes, sign, alt(gift, predicatesOfGift)),
  seq(goods, sign, alt(quality, choice, seq(inner, list(word("part")), extras), predicates))
)
/** Not one adjective alone, such as `right`: it would confirm what the shopper asks. */
const described = alt(adj, made)
const fragment = alt(
  seq(described, alt(joint, suit), quality),
  seq(list(described), some(suit)),
  seq(described, joint, list(described)),
  choice
)
const sentence = alt(some(alt(word("whole"), sign)), joined, item, fragment)
/** Says that nothing is recommended, and after a search without products that nothing was found. */
const fruitless = at(({ isFruitless }, from) => (isFruitless ? [from] : []))
const nothing = some(alt(word("refusal"), seq(fruitless, word("empty")), word("and"), sign, forUse))

/** Most words of a sentence. */
const maxWords = 60

const opening = alt(some(alt(word("whole"), sign)), hereAre)
/** Whether a sentence says nothing of a product: `Here are two ideas.` */
export const isOpening = (matched: Matched): boolean => matches(opening, matched)

/** Whether the words of a sentence say only what a product is like, and whom and what it suits. */
export const isHarmless = (matched: Matched): boolean =>
  matched.words.length <= maxWords && matches(matched.titles.length === 0 ? nothing : sentence, matched)
