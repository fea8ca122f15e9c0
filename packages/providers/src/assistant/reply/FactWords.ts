import type { CheckedLanguage } from "./lexicon/index.ts"

/*
 * The words of the list of products that code writes, by language.
 */

/** Languages in which products are listed. */
export type ListLanguage = CheckedLanguage | "ja" | "zh"

/** Words and sentences of a list. */
export interface FactWords {
  readonly one: string
  readonly several: string
  /** Before sentences about so many products that name none. */
  readonly about: (count: number) => string
  readonly none: string
  /** For a request that was not searched for. */
  readonly refused: string
  readonly noneWithin: string
  readonly rated: (rating: string) => string
  readonly reviews: (count: number) => string
  readonly lowestPrice: string
  readonly bestRating: string
  /** A product whose title and code make claims of their own. */
  readonly product: string
}

export const factWords: Record<ListLanguage, FactWords> = {
  en: {
    one: "This product matches your request:",
    several: "These products match your request:",
    about: (count) => (count === 1 ? "About the product:" : "About the products:"),
    none: "I found no product that matches your request. Please try other words.",
    refused: "I can't recommend a product for this request. Please try other words.",
    noneWithin:
      "I found no product that matches your request within your limits on the price. Please try other words or other limits.",
    rated: (rating) => `rated ${rating}`,
    reviews: (count) => `${count} ${count === 1 ? "review" : "reviews"}`,
    lowestPrice: "lowest price",
    bestRating: "best rating",
    product: "A product"
  },
  de: {
    one: "Dieses Produkt passt zu deiner Anfrage:",
    several: "Diese Produkte passen zu deiner Anfrage:",
    about: (count) => (count === 1 ? "Zum Produkt:" : "Zu den Produkten:"),
    none: "Ich habe kein passendes Produkt gefunden. Bitte versuche es mit anderen Wörtern.",
    refused: "Für diese Anfrage kann ich kein Produkt empfehlen. Bitte versuche es mit anderen Wörtern.",
    noneWithin:
      "Ich habe innerhalb deiner Preisgrenzen kein passendes Produkt gefunden. Bitte versuche es mit anderen Wörtern oder Grenzen.",
    rated: (rating) => `Bewertung ${rating}`,
    reviews: (count) => `${count} ${count === 1 ? "Rezension" : "Rezensionen"}`,
    lowestPrice: "niedrigster Preis",
    bestRating: "beste Bewertung",
    product: "Ein Produkt"
  },
  fr: {
    one: "Ce produit correspond à votre demande :",
    several: "Ces produits correspondent à votre demande :",
    about: (count) => (count === 1 ? "À propos du produit :" : "À propos des produits :"),
    none: "Je n'ai trouvé aucun produit correspondant. Essayez avec d'autres mots.",
    refused: "Je ne peux pas recommander de produit pour cette demande. Essayez avec d'autres mots.",
    noneWithin:
      "Je n'ai trouvé aucun produit correspondant dans vos limites de prix. Essayez avec d'autres mots ou d'autres limites.",
    rated: (rating) => `note ${rating}`,
    reviews: (count) => `${count} avis`,
    lowestPrice: "prix le plus bas",
    bestRating: "meilleure note",
    product: "Un produit"
  },
  es: {
    one: "Este producto se ajusta a su solicitud:",
    several: "Estos productos se ajustan a su solicitud:",
    about: (count) => (count === 1 ? "Sobre el producto:" : "Sobre los productos:"),
    none: "No he encontrado ningún producto adecuado. Pruebe con otras palabras.",
    refused: "No puedo recomendar ningún producto para esta solicitud. Pruebe con otras palabras.",
    noneWithin:
      "No he encontrado ningún producto adecuado dentro de sus límites de precio. Pruebe con otras palabras u otros límites.",
    rated: (rating) => `valoración ${rating}`,
    reviews: (count) => `${count} ${count === 1 ? "reseña" : "reseñas"}`,
    lowestPrice: "precio más bajo",
    bestRating: "mejor valoración",
    product: "Un producto"
  },
  it: {
    one: "Questo prodotto corrisponde alla richiesta:",
    several: "Questi prodotti corrispondono alla richiesta:",
    about: (count) => (count === 1 ? "Sul prodotto:" : "Sui prodotti:"),
    none: "Non ho trovato alcun prodotto adatto. Prova con altre parole.",
    refused: "Non posso consigliare alcun prodotto per questa richiesta. Prova con altre parole.",
    noneWithin:
      "Non ho trovato alcun prodotto adatto entro i limiti di prezzo. Prova con altre parole o altri limiti.",
    rated: (rating) => `valutazione ${rating}`,
    reviews: (count) => `${count} ${count === 1 ? "recensione" : "recensioni"}`,
    lowestPrice: "prezzo più basso",
    bestRating: "valutazione migliore",
    product: "Un prodotto"
  },
  pt: {
    one: "Este produto corresponde ao seu pedido:",
    several: "Estes produtos correspondem ao seu pedido:",
    about: (count) => (count === 1 ? "Sobre o produto:" : "Sobre os produtos:"),
    none: "Não encontrei nenhum produto adequado. Tente outras palavras.",
    refused: "Não posso recomendar nenhum produto para este pedido. Tente outras palavras.",
    noneWithin:
      "Não encontrei nenhum produto adequado dentro dos seus limites de preço. Tente outras palavras ou outros limites.",
    rated: (rating) => `avaliação ${rating}`,
    reviews: (count) => `${count} ${count === 1 ? "avaliação" : "avaliações"}`,
    lowestPrice: "menor preço",
    bestRating: "melhor avaliação",
    product: "Um produto"
  },
  ja: {
    one: "ご希望に合う商品:",
    several: "ご希望に合う商品:",
    about: () => "商品について：",
    none: "ご希望に合う商品は見つかりませんでした。別の言葉でお試しください。",
    refused: "このご依頼にはおすすめできる商品がありません。別の言葉でお試しください。",
    noneWithin: "ご希望の価格の範囲に合う商品は見つかりませんでした。別の言葉や価格でお試しください。",
    rated: (rating) => `評価${rating}`,
    reviews: (count) => `レビュー${count}件`,
    lowestPrice: "最低価格",
    bestRating: "最高評価",
    product: "商品"
  },
  zh: {
    one: "符合您要求的商品:",
    several: "符合您要求的商品:",
    about: () => "关于商品：",
    none: "没有找到符合您要求的商品。请换其他词试试。",
    refused: "这个请求没有可推荐的商品。请换其他词试试。",
    noneWithin: "在您的价格范围内没有找到符合要求的商品。请换其他词或价格试试。",
    rated: (rating) => `评分${rating}`,
    reviews: (count) => `${count}条评价`,
    lowestPrice: "价格最低",
    bestRating: "评分最高",
    product: "商品"
  }
}
