/*
 * Words with which a title could state a price, a quantity, stock, shipping, a rating, an order, a payment or a recall.
 * Sentences of a model may use them only inside of a product's name; all their other words are of a lexicon.
 */

/** Beginnings of words: `pric` is that of `price` and `pricing`. */
const stems =
  `pric cheap expens afford econom budget dollar paid discount seller bargain deal coupon promo rebate refund reduc
  clearance invoice tax financ installment credit debit usd usdc stable crypto bitcoin wallet purse pocket quote
  value valu overpric underpric pricey premium stock avail ship deliver arriv dispatch purchas buy bought reserv
  checkout warehouse inventor restock supply suppl backorder preorder discontinu remain left review reput
  popular favorit favourit bestsell customer buyer recommended award recall defect danger hazard unsafe toxic
  warn guarantee warrant certif approv contact email telephone telegram whatsapp website click visit login
  password account transfer address voucher fewer lower higher lowest highest better worse worst twice double
  triple quarter percent dozen hundred thousand million billion preis kost billig günst teuer geld zahl bezahl
  rabatt angebot gutschein gratis umsonst lager liefer versand verfügbar bestell kauf verkauf bewert rezension
  rückruf gefährlich garant mehr weniger doppelt coût coute gratuit argent réduc remise dispon livr expéd
  command achet étoile garanti moins meilleur moitié cuest barat diner descuent ofert rebaj envi entreg agot
  venta reseñ valora calific estrella peligr segur más menos mejor peor mitad prezz scont offert spedi consegn
  disponib esaur acquist recension valuta stell richiam pericol sicur garan più miglior peggior metà preç
  dinheir grát descont promoç envio frete disponív esgot pedid avalia nota perig melhor pior metade`.split(
    /\s+/
  )

/** Whole words. */
const whole = new Set(
  `free off now today tomorrow tonight soon still back only last over under above below up down out no not never
  none nothing without minus all every equal same other max min maximum minimum limit between about around
  nearly almost charge charges charged pound pounds quid grand tenner fiver score ago ends until since week
  month year per each new used old original real fake official refurbished zero oh sto elli cem cien nur kein
  keine nicht noch weg aus ne pas rien encore seulement sin solo sólo nada ya non niente só não já ancora cost
  costs costing costo costos costi buck bucks euro euros cent cents money cash cashback pay pays paying payment
  payments payable fee fees sale sales sell sells selling sold solde soldes saving savings save saves saved
  token tokens worth order orders ordered ordering cart rate rates rated rating ratings star stars starred
  scores scored rank ranks ranked ranking safe safer safest safety legal mail link links agent agents card cards
  wire wires swap sign signup code codes less more most mostly least best than half halves third thirds pair
  pairs number numbers sparen spart stern sterne sternen sicher sichere sicherheit halb halbe prix cher chère
  chers chères bon bons vende vendu vendeur vendita vente ventes avis note notes notée noté rappel rappelé sûr
  sûre pire precio precios caro cara caros caras cars compra compras comprar retirado retirada ordine ordini
  ordinare meno mais closeout giveaway overnight booked scarce few limited gone sent hearts soldout instock wholesale
  presale resale yours owned loved adored acclaimed praised voted trusted ready solde buy buys bogo steal doorbuster blowout
  markdown preowned heute sofort hoy hoje oggi demain mañana domani amanhã`.split(/\s+/)
)

/** Stems that are long enough to be looked for inside of compounds, too: `Sonderangebot`, `inexpensive`. */
const inner =
  `expens bargain discount clearance refund rebate coupon voucher warrant guarant cheap dollar budget afford
  econom purchas deliver shipp shipment bestsell oversell instock overstock restock ofstock soldout (?<!ca)price lowcost toprated
  highrated fivestar 5star gratis gratuit kostenlos kostenfrei portofrei preis(?!el) günst guenst billig rabatt angebot
  gutschein versand liefer bestell verkauf bewert rezension verfügbar vorrat vorrät lagernd lagerware schnäppchen
  sonderpost reduzier nachlass ersparn skonto livraison livré expédi rabais promo remise réduc soldes épuis dispon étoil
  recommand barat descuent rebaj envío agotad ofert reseñ ahorr liquida[tcçz] scont offert spediz consegn esaurit
  risparm recension descont grátis esgotad avaliaç economiz pechinch entreg goedko korting verzend bezorg voorraad
  uitverko aanbied leverba darmow przecen dostaw wyprzeda leverans tilbud erbjud slutsåld indirim ücretsiz kargo
  kampanya stokta fiyat alennu tarjou toimitu`.split(/\s+/)

const stem = new RegExp(`^(?:${stems.join("|")})|${inner.join("|")}`, "u")

/** Numbers in words, of the languages that are checked. */
const spelledNumber =
  /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|tens|ones|first|second|(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\p{L}*(?:zehn|zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|hundert|tausend)|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingts?|trente|quarante|cinquante|soixante|mille|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|veint\p{L}+|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|ciento|cientos|mil|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|venti|trenta|quaranta|cinquanta|sessanta|settanta|ottanta|novanta|cento|dois|três|quatro|sete|oito|dez|doze|vinte|quarenta|cinquenta|sessenta|oitenta)$/u

/** Whether a word as it is written is sensitive. */
const states = (word: string): boolean => whole.has(word) || stem.test(word) || spelledNumber.test(word)

/** `chéap` as `cheap`. Short words are other words without their accents. */
const withoutAccents = (word: string): string =>
  word.length < 4 ? word : word.normalize("NFD").replace(/\p{M}/gu, "")

/** Whether a word in lower case could make a statement that the products' data must prove. */
export const isSensitive = (word: string): boolean => states(word) || states(withoutAccents(word))

/** Words above that names of products have for harmless reasons, too: `over-ear`, `two-slice`, `no-pull`. */
const ambiguous = new Set(
  `safe safety free pair all new original pocket first no pro zero token one two three four five six seven eight nine ten
  left best better number wire sign down up over under back max double triple premium star wallet purse card limited
  hearts gone overnight few ready`.split(/\s+/)
)

/** Claims of price, stock, shipping, ratings and approvals whose words alone may stand in a name. */
const claims =
  /(?<!\p{L})(?:free[ -]?(?:postage|p&p|gift)|(?:five|5)[ -]?stars?(?!\p{L})|fda[ -]cleared|(?:black|cyber) ?(?:friday|monday)|prime day|(?:next|same)[ -]day|limited[ -]time|(?:editor'?s'?|top)[ -](?:choice|pick|seller)|\d[ -]for[ -]\d|(?:no\.? ?|number )(?:1|one)(?![\p{L}\d.,])|\d+[.,](?:99|95)(?![\d ]*\p{L})|\d+ left(?![ -](?:hand|side|ear|foot|arm|leg|knee|right))|ready to ship|бесплатн|скидк|распродаж|акци[яи]|дешев|дёшев|доставк|хит продаж|в наличии)|包邮|免费|免運|特价|特價|打折|折扣|优惠|優惠|促销|促銷|现货|現貨|热销|熱銷|好评|好評|最低|最安|送料無料|無料|割引|特価|セール|お得|激安|格安|即納|在庫|高評価|レビュー|무료|할인|특가|세일|당일|배송|최저|인기|재고|مجان|خصم|شحن/giu

/** A title with signs instead of its claims of several words. */
export const withoutClaims = (title: string): string =>
  title.replace(claims, (text) => ";".repeat(text.length))

/** Whether a sensitive word may stand in the name of a product. */
export const isAmbiguous = (word: string): boolean => ambiguous.has(word)

/** Ambiguous words that may end a name. Others could state something there: `the Nike is left`, `the Sony overnight`. */
const endings = new Set(
  `max pro premium star wallet purse card pair pocket double triple sign token hearts`.split(" ")
)

/** Whether a word of a title may be the last word of a name. */
export const mayEndName = (word: string): boolean => !ambiguous.has(word) || endings.has(word)
