import type { ListLanguage } from "./ListWords.ts"

/*
 * The language of a text, by its script and its commonest words.
 */

/** Languages whose words are listed. */
export type Language = "en" | "de" | "fr" | "es" | "it" | "pt"

const common: Readonly<Record<Language, string>> = {
  en: "the is it and for a of with this that has have are you your i to not from in they these be hello hi",
  de: "der die das ist und für ein eine einen mit nicht auf sie es ich du hat sind zu von im in dem den auch wie unter hallo suche",
  fr: "le la les est et pour un une avec ce cette pas il elle je vous des du sont dans qui que sur sans au moins bonjour cherche",
  es: "el la los las es y para un una con este esta no se lo del son que en por su está muy sin tu menos hola qué busco",
  it: "il lo la gli è e per un una con questo questa non si del della sono che di in ha alla più dei meno da ciao cerco avete",
  pt: "o a os as é e para um uma com este esta não se do da são que em por no na tem mais sem seu até olá procuro"
}

/** Words that are common in a language. */
export const isCommon = (word: string): boolean => languages.some(([, words]) => words.has(word))

const languages = Object.entries(common).map(
  ([language, words]) => [language as Language, new Set(words.split(" "))] as const
)

/** Letters that none of these languages has. */
const unlisted = /[åøłąęśżźćńőűășțşţěřšžůďťňğıđħāēģīķļņūėįų]/u

/** The languages of which a text has most common words, and those of which it has half as many; none if it has no such word. */
const languagesOf = (text: string): ReadonlyArray<Language> => {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  if (words.some((word) => unlisted.test(word))) return []
  const known = new Set(words.filter(isCommon))
  // Other languages have some of the shortest words, too.
  if (known.size < 3 && !Array.from(known).some((word) => word.length > 2)) return []
  const counts = languages.map(
    ([language, common]) => [language, words.filter((word) => common.has(word)).length] as const
  )
  const most = Math.max(...counts.map(([, count]) => count))
  return most === 0
    ? []
    : counts
        .filter(([, count]) => count * 2 >= most)
        .toSorted(([, left], [, right]) => right - left)
        .map(([language]) => language)
}

/** Characters that only traditional writing has. */
const traditional = /[個這麼嗎們為與價錢請無線電腦機禮適時對來買說點學開關網裡還會從國產雙傘輕]/u
const simplified = /[个这吗们为与价钱请无线电脑机礼适时对来买说点学开关网还会从国产双伞轻]/u

const listedIn = (text: string): ListLanguage | undefined => {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "ja"
  if (/\p{Script=Han}/u.test(text))
    return traditional.test(text) && !simplified.test(text) ? "zh-Hant" : "zh-Hans"
  if (/[¿¡]/.test(text)) return "es"
  return languagesOf(text)[0]
}

/** The language and script in which code lists products: that of the first text that shows one, or English. */
export const listLanguageOf = (...texts: ReadonlyArray<string>): ListLanguage =>
  texts.map(listedIn).find((language) => language !== undefined) ?? "en"
