/*
 * Claims without numbers. A product's data say nothing about stock, shipping or discounts, so no sentence may. Claims
 * of the lowest price or the best rating can be compared with the data. Normalized text.
 */

const inWords = (patterns: ReadonlyArray<string>): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${patterns.join("|")})(?!\\p{L})`, "giu")
const anywhere = (patterns: ReadonlyArray<string>): RegExp => new RegExp(patterns.join("|"), "gu")

const availability = [
  "in[- ]stock|out of stock|sold[- ]out|selling (?:out|fast)|back[- ]?order\\p{L}*|pre-?order\\p{L}*|(?:currently|readily|still|is|are|it's|they're|not|now|only|widely|immediately) (?:un)?available|available (?:now|today|immediately|for|in|at|from|only|until)|unavailable|availability|(?:\\d+|few|couple|one|two|three) (?:pieces? |units? |items? )?(?:left(?!-)|remain\\p{L}*)|left in stock|(?:run|runs|running|ran|sell|sells|go|going) (?:out|fast)|ready to ship|(?:receive|get|have|has|with you|yours) (?:it |them |one |this )?(?:by|today|tomorrow|tonight|next|within|in \\d)|pick ?up|dispatch\\p{L}*|drop-?ship\\p{L}*|last (?:one|few|chance)|limited (?:stock|supply|quantit\\p{L}+|time)|suppl(?:y|ies) (?:is|are)|(?:plenty|lots|many|few|units?|pieces?) (?:of (?:them|these|it) )?(?:left|available|at|in) |plenty of (?:them|these)|warehouse|inventory|(?:is|are) back(?! to)|a few more|order (?:now|today|within|before|soon)|(?:low|full|still|any|our|their) stock(?! ?pot)|while (?:supplies|stocks?) last|almost gone|restock\\p{L}*|discontinued|no longer (?:sold|made)|hurry",
  "shipping|shipped|ships? (?:in|within|from|to|today|tomorrow|free|fast|now|immediately|same|next)|deliver(?:y|ies)|deliver(?:s|ed) (?:in|within|by|tomorrow|to|today|free|next)|arriv(?:e|es|ing|al)|next[- ]day|same[- ]day|overnight",
  "auf lager|lagernd|lieferbar|(?:nicht |sofort )?verfügbar|ausverkauft|vergriffen|vorrätig|vorbestell\\p{L}*|lieferung|lieferzeit|geliefert|versand\\p{L}*|versendet",
  "en stock|(?:in)?disponibles?|rupture|épuisée?s?|livraison|livrée?s?|expédi\\p{L}+",
  "agotad\\p{L}+|env[ií]os?|entregas?|en existencia",
  "(?:non )?disponibil\\p{L}+|esaurit\\p{L}+|in magazzino|spedizion\\p{L}+|consegn\\p{L}+",
  "em estoque|em stock|(?:in)?disponíve(?:l|is)|esgotad\\p{L}+|envio|frete",
  "op voorraad|voorradig|uitverkocht|leverbaar|verkrijgbaar|bezorg\\p{L}+|verzend\\p{L}+|levering",
  "(?:nie)?dostępn\\p{L}+|wyprzedan\\p{L}+|w magazynie|wysyłk\\p{L}+|dostaw\\p{L}+",
  "в наличии|распродан\\p{L}*|закончил\\p{L}*|доставк\\p{L}*|(?:не)?доступ(?:ен|на|ны|но)",
  "varasto\\p{L}*|i lager|på lager|skladem|raktáron|în stoc|còn hàng|tersedia|ada stok",
  "stokta|tükendi|mevcut|kargo\\p{L}*|teslimat\\p{L}*"
]

const discounts = [
  "on sale|for sale|flash sale|sale price|discount\\p{L}*|(?:\\d+ ?%|percent|half|cents?|dollars?) off|half[- ]price|price (?:drop\\p{L}*|cut|match|guarantee)|reduced|marked down|markdown|clearance|coupons?|promo\\p{L}*|rebate|cash ?back|special offer|bargain|deals?|save (?:you |even )?(?:money|up|over|about|big|half|more|\\W?\\d)|savings?|original(?:ly)? (?:price\\p{L}*|\\p{Sc})|originally|formerly|used to cost|was \\p{Sc}?\\d|regular(?:ly)? (?:price\\p{L}*|\\p{Sc}?\\d)|list price|msrp|rrp|retails?|price (?:ever|anywhere)|best price|prices? (?:of [^.,;]{1,60} )?(?:just |recently |has |have |is |are |was |were |will )*(?:drop|fell|fall|ris|rose|cut|slash|reduc|lower|go)\\p{L}*|for less|a steal|used to be|(?:until|till|only) (?:today|tonight|midnight|tomorrow)|yesterday|tomorrow|tonight|(?:last|next|this) (?:week|month|year|friday|weekend)|half off|two for one|bogo|buy one|worth \\p{Sc}?\\d|valued at|normally|usually (?:costs?|sells?|goes|priced)|tax(?:es)?|vat|installments?|financing|per month|monthly|a month|price (?:has|will|is going)",
  "rabatt\\p{L}*|reduziert|ermäßig\\p{L}*|(?:sonder)?angebot(?:e|s|spreis)?|schnäppchen|statt \\p{Sc}?\\d|uvp|gutschein\\p{L}*|mehrwertsteuer|mwst|zum halben preis|halber preis|ersparnis|sparen sie|früher \\p{Sc}?\\d",
  "en promo\\p{L}*|promotion\\p{L}*|soldes?|soldée?s?|réductions?|remises?|rabais|moitié prix|au lieu de|bonne affaire|tva",
  "ofertas?|descuentos?|rebajad\\p{L}+|rebajas|mitad de precio|antes costaba|ganga",
  "scont\\p{L}+|offerte?|promozion\\p{L}+|metà prezzo|saldi",
  "descontos?|promoç\\p{L}+|metade do preço",
  "korting\\p{L}*|aanbieding\\p{L}*|afgeprijsd|uitverkoop|halve prijs",
  "rabat\\p{L}*|zniżk\\p{L}+|promocj\\p{L}+|przecen\\p{L}+|za pół ceny",
  "скидк\\p{L}*|акци\\p{L}+|распродаж\\p{L}*|полцены",
  "indirim\\p{L}*|kampanya\\p{L}*|yarı fiyat\\p{L}*"
]

const free = [
  "(?:is|are|it's|they're|for|completely|absolutely|totally|yours) free(?! of| from|-)|free (?:of charge|returns?|gift|trial)|(?:a|an|\\d+|with|get|one|two|three|includes?|plus) free(?!-)|tenner|fiver|no (?:extra )?(?:cost|charge)|costs? nothing|complimentary|on the house|gratis|kostenlos\\p{L}*|umsonst|gratuit\\p{L}*|gratuito|grátis|omaggio|darmow\\p{L}*|бесплатн\\p{L}*|ücretsiz|bedava"
]

const popularity = [
  "best[- ]?sell\\p{L}+|top[- ]sell\\p{L}+|number one|most popular|best[- ]reviewed in|meistverkauft\\p{L}*|bestseller\\p{L}*"
]

const others = [
  "priced (?:below|above|higher|lower|under|over|like|the same)|(?:better|higher|lower|worse|more|fewer|less) (?:customer )?(?:ratings?|reviews?|scores?|prices?)|(?:rated|reviewed|scored) (?:better|higher|lower|worse|above|below|more|less)|(?:a|one) (?:third|quarter|half|fraction) (?:of|the)|(?:about|going|set|likely|expected) to (?:double|triple|rise|fall|drop|go up|go down|increase)|same price|same rating|same cost|half the (?:price|cost)|(?:twice|double|triple) the (?:price|cost)|costs? (?:more|less|half|twice|double|the same|about|around|nearly)|better[- ]rated|higher[- ]rated|lower[- ]rated|poor(?:ly)?[- ]rated|unrated|no (?:reviews|ratings)|pricier|more expensive|teurer|plus ch(?:er|ère)s?|más car[oa]s?|più car[oaie]|mais car[oa]s?|duurder|droższ\\p{L}+|дороже|(?:perfect|flawless|top|full) (?:rating|score|marks|stars)|thousands? of|hundreds? of|millions? of|dozens? of"
]

const wide = [
  "在庫|品切れ|売り切れ|入荷|送料|配送|お届け|発送|割引|セール|半額|値下げ|お買い得|税込|税抜|無料",
  "有货|有貨|现货|現貨|缺货|缺貨|售罄|库存|庫存|包邮|包郵|运费|運費|发货|發貨|送货|送貨|折扣|打折|优惠|優惠|特价|特價|半价|半價|促销|促銷|[\\d一二三四五六七八九]折|免费|免費|原价|原價",
  "재고|품절|매진|배송|할인|세일|특가|반값|무료|정가"
]

const unsupported: ReadonlyArray<readonly [reason: string, pattern: RegExp]> = [
  ["availability or shipping", inWords(availability)],
  ["a discount or another price", inWords([...discounts, ...free])],
  ["sales rank", inWords(popularity)],
  ["a comparison that isn't in the data", inWords(others)],
  ["availability, shipping or a discount", anywhere(wide)]
]

/** What a sentence claims that no data support, or `undefined`. */
export const unsupportedClaim = (text: string): string | undefined =>
  unsupported.find(([, pattern]) => text.search(pattern) >= 0)?.[0]

/** A claim that a product's data can confirm. */
export type ComparedClaim =
  | "lowest price"
  | "highest price"
  | "highest rating"
  | "most reviews"
  | "high rating"

const compared: ReadonlyArray<readonly [ComparedClaim, ReadonlyArray<RegExp>]> = [
  [
    "lowest price",
    [
      inWords([
        "cheapest|cheaper|least (?:expensive|costly|pricey)|less expensive|lowest[- ]priced?|lowest price|lower[- ]priced?|most affordable|more affordable|günstigst\\p{L}*|billigst\\p{L}*|preiswertest\\p{L}*|günstiger\\p{L}*|billiger\\p{L}*|moins ch(?:er|ère)s?|más barat\\p{L}*|más económic\\p{L}*|più economic\\p{L}*|meno car\\p{L}|mais barat\\p{L}*|mais em conta|goedkop(?:st|er)\\p{L}*|goedkoopst\\p{L}*|(?:naj)?tańsz\\p{L}*|дешевл\\p{L}*|самы\\p{L} дешев\\p{L}*|en ucuz\\p{L}*|daha ucuz\\p{L}*"
      ]),
      anywhere(["最安|最も安い|一番安い|より安い|最便宜|更便宜|最低价|最低價|가장 저렴|최저가|더 저렴"])
    ]
  ],
  [
    "highest price",
    [
      inWords([
        "most expensive|priciest|highest[- ]priced?|teuerst\\p{L}*|najdroższ\\p{L}*|самы\\p{L} дорог\\p{L}*|en pahalı\\p{L}*"
      ]),
      anywhere(["最も高い|一番高い|最贵|最貴|가장 비싼"])
    ]
  ],
  [
    "highest rating",
    [
      inWords([
        "(?:top|best|highest)[- ](?:rated|reviewed|rating)|best reviews|highest (?:customer )?(?:rating|score)|bestbewertet\\p{L}*|am besten bewertet\\p{L}*|(?:la |le )?mieux notée?s?|mejor valorad\\p{L}*|mejor calificad\\p{L}*|meglio valutat\\p{L}*|mais bem avaliad\\p{L}*|best beoordeeld\\p{L}*|najlepiej ocenian\\p{L}*|en yüksek puan\\p{L}*"
      ]),
      anywhere(["评分最高|評分最高|评价最高|最高評価|一番評価|평점이 가장 높|самым высоким рейтингом"])
    ]
  ],
  [
    "most reviews",
    [inWords(["most[- ]reviewed|most (?:reviews|ratings)|meist(?:en)? (?:bewertungen|bewertet\\p{L}*)"])]
  ],
  [
    "high rating",
    [
      inWords([
        "(?:highly|well|strongly)[- ](?:rated|reviewed)|(?:great|excellent|positive|rave|good|strong|glowing|outstanding|fantastic) (?:customer )?(?:reviews?|ratings?)|(?:sehr )?gut bewertet\\p{L}*|(?:très )?bien notée?s?|(?:muy )?bien valorad\\p{L}*|ben valutat\\p{L}*|bem avaliad\\p{L}*|goed beoordeeld\\p{L}*"
      ]),
      anywhere(["高評価|好评|好評|評価が高い|评分很高|평점이 높"])
    ]
  ]
]

/** A claim at its place in a text. */
export interface PlacedClaim {
  readonly claim: ComparedClaim
  readonly start: number
  readonly end: number
}

/** The claims of a text that can be compared with the products' data. */
export const comparedClaims = (text: string): ReadonlyArray<PlacedClaim> =>
  compared.flatMap(([claim, patterns]) =>
    patterns.flatMap((pattern) =>
      Array.from(text.matchAll(pattern), ({ 0: match, index }) => ({
        claim,
        start: index,
        end: index + match.length
      }))
    )
  )

const negations = inWords([
  "not|isn't|aren't|doesn't|don't|wasn't|never|no|none|neither|nor|nothing|hardly|cannot|can't|nicht|kein\\p{L}*|nie|pas|jamais|aucune?|no|ningun[oa]?|nunca|non|nessun\\p{L}*|não|nenhum\\p{L}*|niet|geen|nooit|żad\\p{L}*|не|нет|ни|değil|hiç"
])
const quantifiers = inWords([
  "both|all|each|every|either|any|alle|beide\\p{L}*|jede\\p{L}*|tous|toutes|chacune?|les deux|ambos|ambas|todos|todas|cada|tutti|tutte|entrambi|entrambe|ogni|beiden|allemaal|elke|oba|obie|wszystkie|każd\\p{L}+|оба|обе|все|кажд\\p{L}+|hepsi|her|ikisi"
])
const ordinals = inWords([
  "first|second|third|fourth|fifth|last|latter|former|other|others|another|respectively|erste\\p{L}*|zweite\\p{L}*|dritte\\p{L}*|letzte\\p{L}*|andere\\p{L}*|premi[eè]re?|deuxième|second\\p{L}?|troisième|derni[eè]re?|autre|primer[oa]?|segund[oa]|tercer[oa]?|últim[oa]|otr[oa]|prim[oa]|terz[oa]|ultim[oa]|altr[oa]|primeir[oa]|terceir[oa]|outr[oa]|eerste|tweede|derde|laatste|andere|pierwsz\\p{L}+|drug\\p{L}+|trzeci\\p{L}*|inn\\p{L}+|перв\\p{L}+|втор\\p{L}+|трет\\p{L}+|друг\\p{L}+|birinci|ikinci|üçüncü|diğer\\p{L}*"
])
const wideNegations = anywhere(["不是|没有|沒有|ない|ません|아니|않"])
const wideQuantifiers = anywhere(["都|两款|兩款|どちらも|すべて|全て|両方|모두|둘 다"])
const comparators =
  /(?:over|above|more than|less than|under|below|beneath|up to|at least|at most|nearly|almost|just (?:under|over|shy of)|close to|about|around|approximately|roughly|only|minus|plus|unter|über|mehr als|weniger als|knapp|rund|etwa|fast|moins de|plus de|environ|presque|menos de|más de|casi|meno di|più di|quasi|mais de|quase|minder dan|meer dan|bijna|mniej niż|więcej niż|prawie|меньше|больше|почти|более|менее|约|約|超过|超過|近|~|≈|<|>|\+) ?$/iu

export const isNegated = (text: string): boolean =>
  text.search(negations) >= 0 || text.search(wideNegations) >= 0
/** Whether a sentence speaks of several products at once: `both cost …`. */
export const speaksOfAll = (text: string): boolean =>
  text.search(quantifiers) >= 0 || text.search(wideQuantifiers) >= 0
const plurals = inWords(["they|they're|these|those|ils|elles|ellos|ellas|loro|eles|elas|они|onlar"])
/** Whether a sentence may speak of several products: `they cost …`. A pair of headphones is plural, too. */
export const speaksOfMany = (text: string): boolean => speaksOfAll(text) || text.search(plurals) >= 0
/** Whether a sentence points at products by their order: `the second one`. */
export const pointsByOrder = (text: string): boolean => text.search(ordinals) >= 0
/** Whether a text ends in a word that makes the next number inexact: `nearly`. */
export const endsInComparator = (text: string): boolean => comparators.test(text)

const unknowing =
  /^(?:please note:? |note:? )?(?:that )?i (?:can't|cannot|don't|can not|do not|am unable to|am not able to) (?:see|check|verify|confirm|know|tell)(?![^.]*(?:[;:]| but | so |that it|\d)).*$/iu
/** Whether a sentence only says what the assistant doesn't know: `I can't check shipping.` */
export const admitsIgnorance = (text: string): boolean => unknowing.test(text.trim())
