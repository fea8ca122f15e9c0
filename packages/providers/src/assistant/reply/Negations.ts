/*
 * Whether a limit on the price is negated: `don't want to spend more than $60`, `over $60 is too much`. Normalized text.
 */

const clauseEnd =
  /[.,;:!?\n]|(?<!\p{L})(?:but|so|because|aber|denn|sondern|mais|pero|porque|ma|perché|mas|но|ale|maar)(?!\p{L})/giu

const negation =
  /(?<![\p{L}'])(?:\p{L}+n't|not|cannot|cant|dont|doesnt|isnt|arent|wont|no|never|nothing|none|avoid(?:ing|s)?|unless|without|nicht|nichts|kein\p{L}*|nie|niemals|ohne|ne|pas|sans|jamais|rien|sin|nunca|nada|non|senza|niente|não|sem|niet|niets|geen|zonder|не|ничего|без|bez|nic|nigdy)(?!\p{L})/giu

/** Words that may stand between a negation and the limit that it negates. */
const between = new Set(
  `want wants wanted wish like looking look going go plan planning prepared willing able afford to spend spending pay
  paying cost costs costing be is are anything something any one ones thing things much a an the single cent cents
  penny dollar for of that it they which should would even priced price too please i i'm we 1
  viel etwas was das der die ausgeben kosten kostet bezahlen zahlen will möchte wollen darf soll sein fall keinesfalls
  veux voudrais souhaite dépenser payer mettre coûter coûte coûtent d' de qui que veut voulons à
  quiero queremos deseo gastar pagar cueste cuesten cuesta costar puedo me se algo
  voglio vogliamo vorrei spendere pagare costi costino costa costare posso che
  quero queremos desejo custe custem custa custar pagar
  хочу тратить потратить платить заплатить стоит стоил стоила стоить могу чтобы
  chcę wydać wydawać płacić zapłacić kosztuje kosztować może mogę
  wil uitgeven betalen mag`.split(/\s+/)
)

/** Words that begin a wish, after which other things may be meant: `I don't want earbuds under $50`. */
const wish = /^(?:want|like|need|avoid|quiero|veux|will|möchte|voglio|quero|хочу|chcę|wil)$/u

/** How a clause speaks of a limit. */
export type Polarity = "plain" | "negated" | "unclear" | "unrelated"

const rejected =
  /^ ?(?:(?:is|are|would be|ist|wäre|est|serait|es|sería|è|sarebbe|é|seria|это) )?(?:\p{L}+ )?(?:too (?:much|expensive|pricey|cheap)|out of (?:the question|my|our)|zu (?:teuer|viel|billig)|trop(?!\p{L})|demasiado|troppo|demais|muito caro|слишком|za drogo|te duur)|^(?: (?:will|möchte|darf|soll|kann|wil|mag|ich|es|er|sie|wir|ik|het))* (?:nicht|niet)(?!\p{L})|^ ?(?:down|downwards|and down|or down|abwärts)(?!\p{L})/iu

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []

/** How the words before and after a limit speak of it. `unrelated`: something else may be negated. */
export const polarityOf = (text: string, start: number, end: number): Polarity => {
  if (rejected.test(text.slice(end))) return "negated"
  const before = text.slice(0, start)
  const clause = before.slice(
    Array.from(before.matchAll(clauseEnd), ({ 0: sign, index }) => index + sign.length).at(-1) ?? 0
  )
  const last = Array.from(clause.matchAll(negation)).at(-1)
  if (last === undefined) return "plain"
  const words = wordsOf(clause.slice(last.index + last[0].length))
  if (words.every((word) => between.has(word))) return "negated"
  return /^avoid/i.test(last[0]) || wish.test(words[0] ?? "") ? "unclear" : "unrelated"
}
