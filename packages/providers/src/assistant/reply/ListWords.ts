/*
 * Sentences and words that code writes, by language.
 */

/** Languages in which products are listed. */
export type ListLanguage = "en" | "de" | "fr" | "es" | "it" | "pt" | "ja" | "zh-Hans" | "zh-Hant"

/** What code writes. `{}` stands for a rating or a number. */
export interface ListWords {
  /** Before products of which the model said nothing that can be sent. */
  readonly uncompared: string
  /** Before products of which the model picked none. */
  readonly nothingFits: string
  readonly rated: string
  readonly reviews: string
  readonly lowestPrice: string
  readonly bestRating: string
  /** If all prices are in US dollars, before `otherCurrency`. */
  readonly inDollars: string
  /** For a limit that is not in US dollars. */
  readonly otherCurrency: string
  /** For a message that no search can serve. */
  readonly about: string
}

export const listWords: Record<ListLanguage, ListWords> = {
  en: {
    uncompared: "The search found these products. I can't say how well they fit your request:",
    nothingFits: "None of these products seems to fit your request. The search found:",
    rated: "rated {}",
    reviews: "reviews: {}",
    lowestPrice: "lowest price",
    bestRating: "best rating",
    inDollars: "Prices are in USD.",
    otherCurrency: "Your limit isn't in USD and wasn't applied.",
    about:
      "I find and compare products: tell me what you are looking for. I don't see orders or parcels: this service's parcel tracking follows a parcel by its tracking number, and the confirmation mail has the order."
  },
  de: {
    uncompared:
      "Die Suche hat diese Produkte gefunden. Wie gut sie zu deiner Anfrage passen, kann ich nicht sagen:",
    nothingFits: "Keines dieser Produkte scheint zu deiner Anfrage zu passen. Die Suche hat gefunden:",
    rated: "Bewertung {}",
    reviews: "Rezensionen: {}",
    lowestPrice: "niedrigster Preis",
    bestRating: "beste Bewertung",
    inDollars: "Die Preise sind in USD.",
    otherCurrency: "Deine Grenze ist nicht in USD und wurde nicht angewandt.",
    about:
      "Ich finde und vergleiche Produkte: Sag mir, was du suchst. Bestellungen und Pakete sehe ich nicht: die Sendungsverfolgung dieses Dienstes verfolgt ein Paket über seine Sendungsnummer, und die Bestellung steht in der Bestätigungsmail."
  },
  fr: {
    uncompared:
      "La recherche a trouvé ces produits. Je ne peux pas dire s'ils correspondent bien à votre demande :",
    nothingFits: "Aucun de ces produits ne semble correspondre à votre demande. La recherche a trouvé :",
    rated: "note {}",
    reviews: "avis : {}",
    lowestPrice: "prix le plus bas",
    bestRating: "meilleure note",
    inDollars: "Les prix sont en USD.",
    otherCurrency: "Votre limite n'est pas en USD et n'a pas été appliquée.",
    about:
      "Je trouve et compare des produits : dites-moi ce que vous cherchez. Je ne vois ni commandes ni colis : le suivi de colis de ce service retrouve un colis par son numéro, et le courriel de confirmation contient la commande."
  },
  es: {
    uncompared: "La búsqueda encontró estos productos. No puedo decir si se ajustan a su solicitud:",
    nothingFits: "Ninguno de estos productos parece ajustarse a su solicitud. La búsqueda encontró:",
    rated: "valoración {}",
    reviews: "reseñas: {}",
    lowestPrice: "precio más bajo",
    bestRating: "mejor valoración",
    inDollars: "Los precios están en USD.",
    otherCurrency: "Su límite no está en USD y no se aplicó.",
    about:
      "Busco y comparo productos: dígame qué necesita. No veo pedidos ni paquetes: el seguimiento de paquetes de este servicio encuentra un paquete por su número, y el correo de confirmación contiene el pedido."
  },
  it: {
    uncompared: "La ricerca ha trovato questi prodotti. Non posso dire quanto siano adatti alla richiesta:",
    nothingFits: "Nessuno di questi prodotti sembra adatto alla richiesta. La ricerca ha trovato:",
    rated: "valutazione {}",
    reviews: "recensioni: {}",
    lowestPrice: "prezzo più basso",
    bestRating: "valutazione migliore",
    inDollars: "I prezzi sono in USD.",
    otherCurrency: "Il limite non è in USD e non è stato applicato.",
    about:
      "Trovo e confronto prodotti: dimmi che cosa cerchi. Non vedo ordini né pacchi: il tracciamento dei pacchi di questo servizio segue un pacco dal suo numero, e l'e-mail di conferma contiene l'ordine."
  },
  pt: {
    uncompared: "A pesquisa encontrou estes produtos. Não posso dizer se correspondem ao seu pedido:",
    nothingFits: "Nenhum destes produtos parece corresponder ao seu pedido. A pesquisa encontrou:",
    rated: "avaliação {}",
    reviews: "avaliações: {}",
    lowestPrice: "menor preço",
    bestRating: "melhor avaliação",
    inDollars: "Os preços estão em USD.",
    otherCurrency: "O seu limite não está em USD e não foi aplicado.",
    about:
      "Encontro e comparo produtos: diga-me o que procura. Não vejo pedidos nem encomendas: o rastreio de encomendas deste serviço segue uma encomenda pelo número, e o e-mail de confirmação contém o pedido."
  },
  ja: {
    uncompared: "検索で見つかった商品です。ご希望に合うかどうかは判断できません。",
    nothingFits: "ご希望に合う商品はないようです。検索で見つかった商品：",
    rated: "評価{}",
    reviews: "レビュー{}件",
    lowestPrice: "最低価格",
    bestRating: "最高評価",
    inDollars: "価格は米ドルです。",
    otherCurrency: "ご指定の上限は米ドルではないため、適用していません。",
    about:
      "商品を探して比べます。お探しの物を教えてください。注文や荷物は確認できません。荷物はこのサービスの荷物追跡で追跡番号から調べられます。注文は確認メールをご覧ください。"
  },
  "zh-Hans": {
    uncompared: "搜索找到了这些商品，但无法判断它们是否符合您的要求：",
    nothingFits: "这些商品似乎都不符合您的要求。搜索找到了：",
    rated: "评分{}",
    reviews: "{}条评价",
    lowestPrice: "价格最低",
    bestRating: "评分最高",
    inDollars: "价格为美元。",
    otherCurrency: "您的上限不是美元，因此没有使用。",
    about:
      "我可以查找和比较商品：请告诉我您要找什么。我看不到订单和包裹：请用本服务的包裹查询功能和运单号查询包裹，订单请看确认邮件。"
  },
  "zh-Hant": {
    uncompared: "搜尋找到了這些商品，但無法判斷它們是否符合您的要求：",
    nothingFits: "這些商品似乎都不符合您的要求。搜尋找到了：",
    rated: "評分{}",
    reviews: "{}則評價",
    lowestPrice: "價格最低",
    bestRating: "評分最高",
    inDollars: "價格為美元。",
    otherCurrency: "您的上限不是美元，因此沒有使用。",
    about:
      "我可以尋找和比較商品：請告訴我您要找什麼。我看不到訂單和包裹：請用本服務的包裹查詢功能和運單號查詢包裹，訂單請看確認郵件。"
  }
}
