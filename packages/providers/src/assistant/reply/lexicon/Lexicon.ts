/*
 * The words that a model's sentence may consist of, by what they do in it. None is about price, money, quantity,
 * comparison, order, payment, contact, stock, shipping, ratings, popularity or safety. The grammar decides what they may
 * say together. In the lists, `_` joins the words of a phrase: `made_of`.
 */

/** What a word does in a sentence. */
export type WordKind =
  /** `the`, `a` */
  | "det"
  /** `this`, of goods only: `this evening` would be a time of delivery. */
  | "this"
  /** `its` */
  | "own"
  /** `your` */
  | "poss"
  /** `my`, of the assistant's choice only */
  | "mine"
  /** Pronouns for products: `it`, `both`. */
  | "it"
  /** Pronouns for persons: `she`. */
  | "other"
  | "you"
  | "i"
  /** `te` in `te recomiendo` */
  | "dat"
  | "be"
  /** `can`, `would` */
  | "modal"
  | "will"
  /** Verbs before a feature: `offers`. */
  | "has"
  /** The same without a place or a time after it: `comes with`. */
  | "comes"
  /** What a product does: `folds`, `protects`. */
  | "verb"
  /** What a product does for persons: `suits`. */
  | "suits"
  /** `adds a touch to` */
  | "adds"
  /** Verbs before an object and its quality: `keeps your feet warm`. */
  | "make"
  /** `helps you relax` */
  | "help"
  /** `making it light` */
  | "making"
  /** Verbs before a quality: `feels soft`. */
  | "look"
  /** What a person does with a product: `wear`. */
  | "use"
  /** The same, but `you can hold it` would be a reservation. */
  | "hold"
  /** The same as a thing: `for reading`. */
  | "doing"
  /** What a person wishes: `wants`. */
  | "wish"
  /** What a person may feel about it: `enjoy`. */
  | "like"
  | "rec"
  | "adj"
  | "adv"
  /** Adverbs that a sentence may begin with. Others would confirm what the shopper asks: `very good, it is`. */
  | "link"
  | "enough"
  /** Where and how long: `at home`. */
  | "circ"
  /** Uses, places, materials. */
  | "noun"
  /** Parts of the body, surfaces, trips. */
  | "spot"
  /** What a product may have or give: `comfort`. */
  | "trait"
  /** Parts and properties of products. */
  | "part"
  /** Kinds of products. */
  | "kind"
  | "choice"
  | "gift"
  | "person"
  /** `s` in `your baby's skin` */
  | "genitive"
  | "for"
  /** `together with` */
  | "beside"
  | "prep"
  /** `on`, before spots only: `light on the purse` would be a price. */
  | "on"
  /** Before a number of a title: `up to`. */
  | "upto"
  /** Before the parts of a product. */
  | "with"
  | "of"
  | "to"
  | "and"
  | "conj"
  | "if"
  | "when"
  | "who"
  | "made"
  /** Before a part of the body: `kind to`. */
  | "gentle"
  | "here"
  /** `this is`: after it, a gift is a product. */
  | "thatIs"
  /** Whole sentences. */
  | "whole"
  /** Numbers of products from two. */
  | "number"
  /** Phrases that recommend nothing. */
  | "refusal"
  /** Phrases that say that nothing was found. */
  | "empty"

/** The words of a language, separated by spaces. */
export type LexiconWords = Readonly<Record<WordKind, string>>

/** The words of a language. */
export interface Lexicon {
  /** All single words of it. */
  readonly all: ReadonlySet<string>
  /** Whether sentences may leave out `it`. */
  readonly dropsSubject: boolean
  /** The lengths of the words and phrases of a kind that begin at a place. */
  readonly lengthsAt: (kind: WordKind, words: ReadonlyArray<string>, at: number) => ReadonlyArray<number>
  /** The word for so many products. */
  readonly numberOf: (count: number) => string | undefined
}

const split = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((word) => word !== "")

/** Indexes the phrases of a kind by their first word. */
const indexed = (text: string): ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>> =>
  Map.groupBy(
    split(text).map((phrase) => phrase.split("_")),
    ([first]) => first ?? ""
  )

export const makeLexicon = (
  lists: LexiconWords,
  { dropsSubject = false }: { readonly dropsSubject?: boolean } = {}
): Lexicon => {
  const byKind = new Map(Object.entries(lists).map(([kind, text]) => [kind, indexed(text)] as const))
  const numbers = split(lists.number)
  return {
    dropsSubject,
    all: new Set(Object.values(lists).flatMap((text) => split(text).flatMap((phrase) => phrase.split("_")))),
    lengthsAt: (kind, words, at) =>
      (byKind.get(kind)?.get(words[at] ?? "") ?? [])
        .filter((phrase) => phrase.every((part, offset) => words[at + offset] === part))
        .map((phrase) => phrase.length),
    numberOf: (count) => numbers[count - 2]
  }
}
