/*
 * Numbers in words. A class of words that doesn't grow, unlike those of a subject.
 */

const numberWords: ReadonlyArray<readonly [number, string]> = [
  [4, "four vier quatre cuatro quattro quatro"],
  [5, "five fünf cinq cinco cinque"],
  [6, "six sechs seis"],
  [7, "seven sieben sept siete sette sete"],
  [8, "eight acht huit ocho otto oito"],
  [9, "nine neun neuf nueve nove"],
  [10, "ten zehn dix diez dieci dez"],
  [11, "eleven elf onze undici"],
  [12, "twelve zwölf douze doce dodici doze dozen dutzend douzaine docena dozzina dúzia"],
  [13, "thirteen dreizehn treize trece tredici treze"],
  [14, "fourteen vierzehn quatorze catorce quattordici catorze"],
  [15, "fifteen fünfzehn quinze quince quindici"],
  [16, "sixteen sechzehn seize dieciséis sedici dezesseis"],
  [17, "seventeen siebzehn diecisiete diciassette dezessete"],
  [18, "eighteen achtzehn dieciocho diciotto dezoito"],
  [19, "nineteen neunzehn diecinueve diciannove dezenove"],
  [20, "twenty zwanzig vingt vingts veinte venti vinte"],
  [30, "thirty dreißig dreissig trente treinta trenta trinta"],
  [40, "forty vierzig quarante cuarenta quaranta quarenta"],
  [50, "fifty fünfzig cinquante cincuenta cinquanta cinquenta"],
  [60, "sixty sechzig soixante sesenta sessanta sessenta"],
  [70, "seventy siebzig septante setenta settanta"],
  [80, "eighty achtzig ochenta ottanta oitenta"],
  [90, "ninety neunzig noventa novanta"],
  [100, "hundred hundreds hundert cent cents cien ciento cento"],
  [1000, "thousand thousands tausend mille mil miles mila"],
  [1_000_000, "million millions millionen millones milioni milhões"]
]

/** Numbers in words, from four: fewer are hands, sides and people. */
export const numberWordValues: ReadonlyMap<string, number> = new Map(
  numberWords.flatMap(([value, words]) => words.split(" ").map((word) => [word, value] as const))
)

/** Numbers joined to one word: `fünfundvierzig`, `ventiquattro`. */
export const joinedNumber =
  /^(?:\p{L}+(?:zwanzig|dreißig|dreissig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|hundert|tausend)|(?:hundert|tausend)\p{L}*(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zig|ßig)|(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[ia]?(?:uno?|due|tr[eé]|quattro|cinque|sei|sette|otto|nove)(?:cento|mila)?|(?:due|tre|quattro|cinque|sei|sette|otto|nove)?cento(?:uno|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|venti|trenta|quaranta|cinquanta|sessanta|settanta|ottanta|novanta)\p{L}*|(?:due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|quindici|venti|trenta|cento)\p{L}*mila|veinti\p{L}+|\p{L}+(?:cient[oa]s|cento|[cz]ent[oa]s))$/u

/** Whether a word, in lower case, is a number of four or more. */
export const isNumberWord = (word: string): boolean => numberWordValues.has(word) || joinedNumber.test(word)

/** Chinese numerals of several characters, except for words that contain some, and `one or two`. */
export const hanNumber =
  /(?!千万|万一|一一|十分|一[两兩]|[两兩]三|三[四五])[一二三四五六七八九十百千万萬亿两兩零〇]{2,}/u
