/*
 * The languages whose claims without numbers are understood. A sentence in another one can't be checked.
 */

const frequent = new Set(
  `a an the and or but of to in on for with at by from as is are was be it its this that these those you your i we my
  our they their he she if so not no can could may will would should have has do does don't if than more most very
  well good great nice best perfect ideal also both each all any some other one here there which who what how just
  see visit works work makes make made comes come offers offer gives give has includes include features feature fits
  fit suits suit keeps keep lets let sounds sound battery quality light lightweight design easy long lasting short small
  large big compact quiet silent wireless durable sturdy solid soft warm cool simple classic modern comfortable smart
  clean fresh rich strong gentle safe new daily everyday travel home office kitchen outdoor gift gifts pick picks found
  only too out up about over under between without within while because like want need look find choose pick choice
  option options recommend suggest sorry unfortunately please thanks hello hi enjoy
  der die das den dem des ein eine einen einem einer und oder aber von zu im mit auf für aus bei ist sind war es sie
  ihr ihre ihren ich wir mein nicht kein auch nur sehr gut ideal passt hat haben kann können wenn als wie hier beide
  le la les un une des et ou mais du de en dans avec sur pour par est sont ce cette ces il elle vous votre vos je nous
  ne pas très bien aussi qui que si comme voici plus
  el los las una unos y o pero del al con por para es son este esta estos su sus usted yo no muy bien también si como
  que aquí más
  il lo gli uno e ma di da nel nella con su per è sono questo questa questi non molto bene anche se come che ecco più
  o os as um uma e ou mas do da dos das no na com por para é são este esta isso você seu sua não muito bem também se
  het een en of maar van te op met voor door is zijn dit dat deze u uw ik wij niet geen ook zeer goed als hier
  i w z na do dla od jest są to ten ta te nie bardzo dobrze także jeśli jak oto się
  и в на с для от по из к у это этот эта эти не очень хорошо также если как вот а но он она они вы ваш мы есть
  ve bir bu şu için ile de da çok iyi değil en olan gibi ama veya siz biz
  price prices priced cost costs rated rating ratings stars star review reviews usd dollar dollars budget euro euros
  kostet preis sterne bewertungen coûte prix étoiles avis cuesta precio estrellas reseñas costa prezzo stelle
  recensioni custa preço estrelas avaliações kost prijs sterren beoordelingen kosztuje cena стоит цена отзывов fiyat
  yıldız yorum`.split(/\s+/)
)

/** Whether a word, in lower case, is too frequent to name anything. */
export const isFrequent = (word: string): boolean => frequent.has(word)

const checkedScripts =
  /^(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]|(?<!\p{L})\p{L}(?!\p{L}))*$/u
const spacedScripts = /^[\p{Script=Latin}\p{Script=Cyrillic}]/u
/** One word in letters of two alphabets looks like another word. */
const mixed =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u

/** The least share of frequent words; other languages have almost none. */
const minShare = 0.12

/**
 * Whether a sentence is in a language whose claims are understood: English, German, French, Spanish, Italian,
 * Portuguese, Dutch, Polish, Russian, Turkish, Japanese, Chinese or Korean.
 *
 * @param text the normalized sentence
 * @param words its words in lower case, without those that name products
 */
export const isCheckedLanguage = (text: string, words: ReadonlyArray<string>): boolean => {
  if (mixed.test(text) || !checkedScripts.test(text)) return false
  const spaced = words.filter((word) => spacedScripts.test(word))
  if (spaced.length === 0 || spaced.length < words.length / 3) return true
  return spaced.filter(isFrequent).length / spaced.length >= minShare
}
