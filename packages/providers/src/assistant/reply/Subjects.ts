import { paraphrases, unspacedParaphrases } from "./Hazards.ts"
import type { Language } from "./Languages.ts"

/*
 * What a model can't know, by words: a sentence with one is left out. Notation: entries are separated by white space, `_`
 * is a space. An entry is a pattern for the beginning of a word; `$` ends the word, and `*` stands for its beginning.
 * Entries that harmless sentences need, too, are phrases: `arrive_demain`, not `arrive`.
 */

/** Price, discount, stock, delivery, payment, contact, orders, guarantee and ratings. */
const commerce: Record<Language, string> = {
  en: `price(?!less) pricing pricey costs?$ costly costing cheap afford inexpensive expensive budget bargain money
    bucks?$ cents?$ yours_for_ dial_ (?:at|for|is)_\\d[\\d.,]*_pounds$ penny pennies pay(?!\\p{L}|_attention)
    pays$ paid payable payment paypal fees?$ no_charge of_charge is_free are_free for_free(?!_\\p{L}+ing) free_gift comes_free
    get_free half_off half-off percent discount on_sale sales?$ (?:a|great|good|best|the|this)_deal(?!_with)
    deals$ steal$ great_value good_value value_for on_the_house thrown_in free_bonus coupon voucher promo$
    promotion rebate refund cashback clearance bogo buy_one buy_now saves_you save_money saves_money stocks?$
    stocked restock in-stock availab unavailab sold(?!\\p{L}|_(?:as|in)_) sells?$ selling (?:only|just)_(?:\\p{L}+_){0,3}left$
    (?:are|is|few|one)_left(?!\\p{L}|-) \\p{L}+_left_in last_one last_few while_supplies supplies_are hurry
    act_fast going_fast (?:almost|nearly)_gone gone_for_good running_low be_quick$
    grab_(?:it|one|yours)_(?:now|before|while) before_(?:they're|it's|they_are|it_is)_gone
    (?:tons|plenty|lots|loads|many)_of_(?:them|these) limited_(?:time|quantit|stock|number|offer) warehouse
    inventory backorder preorder pre-order delivery deliveries delivered deliverable delivers_(?:to|in|within)
    ships?$ shipp shipment arriv(?:es?|al|ing)(?!\\p{L}|_at_\\W) dispatch courier postage postman parcel doorstep your_door on_its_way
    on_the_way today$ tomorrow tonight next-day next_day same-day same_day monday tuesday wednesday thursday
    friday saturday sunday january february april$ june$ july$ (?:of|in|by|on)_may$ may_\\d august september
    october november december next_week this_week business_day within_(?:\\p{L}+_|\\d+_)?(?:days|weeks)
    in_(?:a_few|a_couple_of|two|three|\\d+)_(?:\\p{L}+_)?days in_your_hands_(?:by|in|on|tomorrow) gets_to_you
    reaches_you pick_it_up pick_up_at collect_it (?:shop|store)_is_at
    \\d+_(?:\\p{L}+_)?(?:street|road|avenue|lane) of_the_total off_the_total (?:by|with|your|a)_credit_card credit_cards?_(?:are|is|work|accepted|welcome) debit bitcoin crypto
    wire_transfer gift_card installment checkout cash$ contact_(?:us|the|me) email e-mail
    call_(?:us|now|me|the|\\d) phone_number hotline whatsapp telegram website web_site
    click_(?:here|the|this|on|to|below) (?:the|this|a)_links?$ link_(?:in|below) dot_com visit_(?:us|our)
    support_team customer_(?:service|support) log_in sign_up (?:your|my|enter|with)_password your_account an_account seller(?!'s_other) vendor
    order_(?:it|now|today) (?:your|an|the)_order$ orders$ ordered ordering purchas (?<!best_)bought your_(?:cart|basket)
    booked reserved is_confirmed (?:your|an|the)_invoices?$ warrant guarantee covered_for
    years_of_(?:cover|protection|support) free_repair returns(?!\\p{L}|_to) returnable return_it return_policy
    send_it_back take_it_back money_back trial_period free_trial ratings? rated$ review stars?$ five-star bestsell
    best-sell best_sell top-sell popular customers buyers shoppers owners_(?:say|love|rate|report) pallet
    shelves_are pick-?up$ store_pick mailed by_mail freight express$ comes_to_you swap_it exchange_it insured
    protection_plan refundable no_questions_asked makes_it_right (?:people|everyone|everybody)_loves? award voted
    crowd_favo fan_favo customer_favo loved_by promised tax(?:es)?$ codes?$`,
  de: `*preis kostet *kosten$ *kostenlos gratis umsonst günstig *billig teuer teure *budget geld$ *rabatt im_angebot
    angebot_gilt angebot_endet *angebotspreis reduziert_auf %_reduziert heruntergesetzt *gutschein schnäppchen
    sparst sparen_sie spart_geld *nachlass prozent cents?$ bezahl zahlung zahlst zahlen_sie zahl_nur zahle_
    *gebühr vom_gesamt ohne_aufpreis (?:kriegst|bekommst|hast)_(?:du_)?es_(?:\\p{L}+_)?für_(?:nur|\\d)
    (?:auf|im|vom|ab|das)_lager$ lagernd lagerbestand vorrätig *vorrat verfügbar ausverkauft
    (?:nur_)?noch_(?:wenige|zwei|drei|ein|eine|viele|hunderte|\\d+) restposten *händler$
    (?:letzte|letzten|wenige)_(?:stücke|exemplare) solange_der greif_zu schlag_zu zuschlagen regale_sind lieferbar
    *lieferung *lieferzeit geliefert liefern_wir liefert_(?:bis|an|es) *versand verschickt versendet (?:das|dein|ihr|ein)_paket$
    zugestellt zustellung trifft_(?:\\p{L}+_){0,4}ein$ kommt_an$ kommt_(?:heute|morgen|in_|am_) ankunft
    unterwegs_zu *porto$ kurier postbote spediteur per_post in_(?:zwei|drei|wenigen|ein_paar|\\d+)_tagen binnen_
    innerhalb_von heute$ morgen_(?:bei|da|an|früh) bis_morgen schon_morgen übermorgen montag dienstag mittwoch
    donnerstag freitag samstag sonntag januar februar märz$ april$ juni$ juli$ august september oktober november
    dezember werktag abhol bei_uns kreditkarte überweis kontaktier *e-mail telefonnummer telefonisch
    ruf_(?:uns|an|unter) rufe_(?:uns|an) hotline kundendienst webseite website klick_(?:hier|auf)
    klicke_(?:hier|auf) whatsapp telegram link$ anmelden passwort$ *konto$ *bestell gekauft *warenkorb reserviert
    storn rechnung *garantie garantiert gewährleist rückgabe zurückgeben zurücksend zurückschick zurücknehm
    nehmen_(?:\\p{L}+_)?es_zurück rücksend umtausch erstatt bewert *bewertung rezension sterne$ *sternen$
    bestseller verkauft *verkäufer beliebt kunden$ käufer auszeichnung preisgekrönt testsieger erhältlich
    die_sendung mit_der_post kulanz versichert$ codes?$`,
  fr: `prix$ coûts?$ coûte coûtait coûtent gratuit offert bon_marché pas_cher chers?$ chère abordable budget l'offre
    votre_argent rend_l'argent promo$ promotion promos$ remise réduction_de rabais solde$ soldes$ soldé$ soldée$
    bon_de_réd coupon économisez économies pour_cent pourcent euros?$ centimes?$ paie payer payez paiement ristourne
    bonne_affaire du_total l'avez_pour à_vous_pour part_à_ stocks?$ disponib indisponib rupture épuisé
    (?:ne|en|n'en)_reste reste_(?:plus|deux|trois|peu) restent derniers_ex dernières?_(?:chance|pièces) dépêchez
    livré livrais livrer livron livreur expédi envoi$ envois$ envoyé envoyons renvoye colis
    arrive_(?:demain|sous|chez) arrivera arrivée_le recevrez recevez aujourd'hui demain lundi mardi mercredi jeudi
    vendredi samedi dimanche janvier février (?:\\d+|\\p{L}+)_mars$ (?:le_\\d+|le_\\p{L}+)_mai$ avril$ juin$
    juillet août septembre octobre novembre décembre jours_ouvr
    (?:en|dans|sous)_(?:deux|trois|quelques|\\d+)_jours (?:sera|arrive)_chez_vous frais_de sans_frais
    port_(?:offert|gratuit) \\d+_rue boutique_est retirez-l carte_bancaire carte_de_cr virement contactez
    nous_contacter courriel e-mail téléphonez appelez service_client whatsapp telegram site_web cliquez liens?$
    mot_de_passe votre_compte (?:votre|la|une|de)_commande(?!\\p{L}|_(?:vocale|tactile)) commander$ commandez
    commandé votre_panier achet achat réservé facture garanti retours$ retour_(?:gratuit|possible|sous) de_retour$
    retourner$ rembours on_vous_le_change noté$ notée note_(?:de|moyenne) (?<!mon_)avis$ évaluation étoile
    meilleure_vente vendu vendeur vend$ populaire clients acheteurs primé récompens en_magasin acheminé la_poste$
    pris_en_charge sav$ codes?$`,
  es: `precio gastos cuesta costab costar costos?$ costes?$ gratis gratuit barat caros?$ (?:más|muy|es)_caras?$ económic
    presupuesto dinero descuent ofertas?$ rebaj cupón ahorras ahorros?$ por_ciento promoc céntimo euros?$ pagas
    pagar pague pagos?$ chollo ganga de_regalo del_total (?:tienes|tuyo|llevas)_por_ sale_a_ existencias stocks?$
    almacén disponib agotad quedan_(?:muy_pocos|pocos|pocas|solo|sólo|dos|tres|muchos|\\d) (?:solo|sólo)_quedan
    últimas_un apresúr date_prisa entrega envíos?$ se_envía envían enviamos enviado paquete
    llega_(?:mañana|en_|el_|antes) llegará recibes recibirá lo_recib recíb hoy$ (?<!la_)mañana$ lunes martes
    miércoles jueves viernes sábado domingo enero febrero abril$ junio julio (?<!en_)agosto septiembre octubre noviembre
    diciembre días_hábiles días_laborables en_(?:dos|tres|pocos|\\d+)_días a_domicilio
    (?:tienes|llega)_(?:en|a)_casa (?:en|a)_tu_puerta mensajer plazo_de recógel recogerlo la_tienda_está
    tarjeta_de_crédito transferencia_bancaria contáct contacta contacte correo atención_al teléfono_de
    llama_(?:al|ahora|ya) llame_al whatsapp telegram página_web sitio_web (?:haz|haga)_clic enlaces?$ (?:tu|su|la)_contraseña_(?!es)
    tu_cuenta su_cuenta pedidos?$ pídel encarg compr$ compras?$ compró comprar$ comprad carrito reservad (?:tu|su|la|una)_factura
    garant devoluc devolver devuelv reembols te_dan_otro lo_cambian valorac valorad calific reseñ opiniones
    estrella más_vendid vendid vende vendedor popular clientes compradores premiad a_la_venta en_tienda reposición
    por_correo mensajería código`,
  it: `prezz costa$ costav coster costano costos?$ costi$ gratis gratuit economic convenient cari$ caro$ budget soldi
    denaro scont offert saldi$ buono_sc coupon risparmi per_cento promoz centesimi euro$ pagh pagament pagare
    affare$ omaggio dal_totale (?:prendi|tuo)_per_ va_via_a_ %_ribass ribassat disponib esaurit scorte magazzino
    rimast restano_(?:solo|ancora|poch|due|tre|\\d) (?:ultimi|pochi)_pezzi ultimo_pezzo affrett consegn spediz spedi spedit pacchi$ pacco$
    arriva_(?:domani|dopodomani|entro|sabato|prima|a_casa) arriverà riceverai (?:lo|la)_ricevi oggi$ domani lunedì
    martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio aprile giugno luglio (?<!(?:in|ad|en|em)_)agosto settembre
    ottobre novembre dicembre giorni_lav in_(?:due|tre|pochi|\\d+)_giorni in_giornata a_casa_tua corriere ritiralo
    ritirarlo negozio_è carta_di_cr bonifico contatta contattaci e-mail email assistenza_cl telefonare
    chiama_(?:il|ora|subito|\\d) whatsapp telegram sito$ clicca link$ tua_password tuo_account (?:tuo|un)_ordine$
    (?:l|dell)'ordine$ ordini$ ordinalo ordina_(?:ora|subito) ordinar acquist comprat tuo_carrello prenotat
    fattura garan (?:il|un|di)_reso$ resi$ renderlo restitu rimbors lo_cambiano valutat valutazion recension
    stelle più_vendut vendut venditor vendit popolar client premiat in_negozio in_vendita per_posta codice`,
  pt: `preç custa custam custos?$ grátis gratuit barat caros?$ económic econômic orçamento dinheiro descont ofertas?$
    promoç cupom cupão saldos economiz por_cento cêntimo euros?$ (?<!bust[ae]_)paga$ pagar pague pagam pechincha brinde do_total
    leva-o_por_ seu_por_ sai_a_ estoque stocks?$ armazém dispon esgot restam resta_(?:só|um|apenas) últimas_un
    apress entreg envios?$ (?:é|será)_enviad enviamos frete encomend pacote$ chega_(?:amanhã|em|na|no|antes)
    chegará receberá recebe$ recebe-o receba hoje$ amanhã segunda-feira terça-feira quarta-feira quinta-feira
    sexta-feira sábado domingo janeiro fevereiro abril$ junho julho (?<!(?:in|ad|en|em)_)agosto setembro outubro novembro dezembro
    dias_úteis em_(?:dois|três|poucos|\\d+)_dias (?:em|na|à)_sua_(?:porta|casa)$ estafeta transportadora prazo_de
    rua_\\p{L}+_\\d a_loja_fica cartão_de_crédito transferência_bancária contacte entre_em_contat e-mail email
    apoio_ao número_de_telefone ligue_(?:para|já) whatsapp telegram site$ clique_(?:aqui|no|na|em) link$ sua_senha
    sua_conta pedidos?$ compr$ compras?$ comprad comprar$ seu_carrinho reservad fatura garant devoluç devolv reembols
    trocam_grátis avaliaç avaliad classificação_média boa_classificação estrela mais_vendid vendid vende vendedor popular clientes
    compradores premiad à_venda em_loja pelo_correio correios código`
}

/** Words that other languages borrow: they are looked for in all sentences. */
const borrowed = `shipping delivery discount rabatt coupon voucher promo$ gratis cashback refund warranty garanti in_stock sold_out bestseller
  best-seller dollar dólar usd$ eur$ euros?$ paypal bitcoin whatsapp telegram e-mail emails?$ free_gift ratings?$ reviews?$ five-star www`

/** The same subjects in Chinese, simplified and traditional, and in Japanese: words are not separated. */
const unspaced =
  /价格|價格|价钱|價錢|价位|性价比|售价|便宜|昂贵|昂貴|划算|实惠|实惠|预算|預算|美元|美金|欧元|人民币|[\d一二三四五六七八九十百千万]元|块钱|免费|免費|包邮|折扣|打折|[一二三四五六七八九]折|优惠|優惠|促销|促銷|特价|特價|降价|省钱|省錢|百分之|付款|支付|付费|库存|庫存|现货|現貨|有货|有貨|缺货|缺貨|售罄|仅剩|僅剩|只剩|最后(?:几|一)[件个]|发货|發貨|送货|送貨|送达|送達|配送|快递|快遞|运费|運費|物流|到货|到貨|今天|明天|后天|[路街道]\d+[号號]|[周週星期]{1,2}[一二三四五六日天]|\d[月日号號](?=[前到送发發])|工作日|信用卡|转账|轉賬|联系|聯繫|邮箱|郵箱|电话号码|客服电话|打电话给|請打電話|请打电话|微信|网站|網站|链接|鏈接|点击(?:这里|链接)|[您你]的密码|输入密码|账户|帳戶|下单|下單|订单|訂單|购买|購買|买到|购物车|購物車|预订|發票|发票|保修|质保|保固|保证|保證|退货|退貨|退款|退换|换货|评分|評分|评价|評價|好评|好評|星级|[\d一二三四五]颗?星|\d块(?:就|钱|一)|销量|銷量|畅销|暢銷|热卖|热销|客户|客戶|买家|買家|卖家|賣家|获奖|優待券|货源|貨源|补货|断货|签收|寄出|寄到|邮寄|包换|三包|赶紧|快抢|抢购|库房|次日|隔天|当天|上门|到家|客服|维修|立减|满减|赠品|赠送|优惠券|优惠码|代码|値段|価格|[\d万千百]円|ドル|ユーロ|安い|安く|安価|高価|お得|予算|無料|割引|セール|値引|クーポン|パーセント|支払|在庫|品切|売り切|残り|残って|入荷|配送|発送|送料|届|到着|今日|明日|[月火水木金土日]曜|営業日|クレジット|振込|連絡|メール|サイト|リンク|クリックして|アカウント|注文|購入|カート|予約|請求|保証|返品|返金|交換でき|評価|レビュー|口コミ|つ星|星[一二三四五]|人気|ベストセラー|売れ|お客様|販売|受賞|(?:クーポン|割引)コード/u

const pattern = (entry: string): string => {
  const body = entry.replace(/^\*/, "").replace(/\$$/, "").replaceAll("_", " ")
  return `${entry.startsWith("*") ? "" : "(?<![\\p{L}\\p{M}])"}${body}${entry.endsWith("$") ? "(?![\\p{L}\\p{M}])" : ""}`
}

const words = (list: string): string => list.trim().split(/\s+/).map(pattern).join("|")

/** Words of a subject that no data proves, by language. Texts must be normalized. */
export const commerceWords: ReadonlyMap<Language | undefined, RegExp> = new Map<Language | undefined, RegExp>(
  [
    ...Object.entries(commerce).map(
      ([language, list]) =>
        [
          language as Language,
          new RegExp(words(`${list} ${paraphrases[language as Language]}`), "giu")
        ] as const
    ),
    // Of every sentence.
    [undefined, new RegExp(`${words(borrowed)}|${unspaced.source}|${unspacedParaphrases}`, "giu")]
  ]
)

/** A claim about safety, in all languages. A title that makes it proves it. */
export interface Claim {
  readonly words: RegExp
  /** Whether `not` before it makes it harmless: `not waterproof`, but not `no allergens`. */
  readonly mayBeDenied: boolean
}

const claim = (latin: string, unspacedWords: string, mayBeDenied: boolean): Claim => ({
  words: new RegExp(`(?<!\\p{L})(?:${latin})|${unspacedWords}`, "giu"),
  mayBeDenied
})

export const claims: ReadonlyArray<Claim> = [
  claim(
    "water-? ?(?:proof|resist|tight)|submers|weatherproof|ip[x\\d]\\d|wasserdicht|wasserfest|wasserabweis|imperméa|étanche|imperme[aá]|resist\\p{L}+ (?:al agua|all'acqua|à água)|waterdicht|(?:à )?prova d'água|sumerg",
    "防水|耐水|撥水",
    true
  ),
  claim(
    "(?:un)?safe(?:ty|ly|r|st)?(?!\\p{L})|childproof|harmless|risk|(?<!(?:sitz|steh|halt|hält|lieg|fass)\\p{L}* )\\p{L}*sicher(?:e[rsn]?|heit\\p{L}*)?(?!\\p{L}| weiß| ist nur)|security|unbedenklich|gefahrlos|harmlos|ungefährlich|sans (?:danger|risque)|(?<!(?:coup|bien) )sûre?s?(?!\\p{L})|sécurité|segur[oa]s?(?!\\p{L})|seguridad|inofensiv|sin (?:riesgo|peligro)|sicur[oaie](?!\\p{L})|innocu|sem (?:risco|perigo)|segurança",
    "安全|安心",
    true
  ),
  claim(
    "allerg|alérg|hypoaller|hypoaler|hipoal|ipoal|asthma|asma|asthme|eczema|ekzem|eccema|alerg|gluten|glutin|glúten|lactose|(?:nut|dairy|latex)-free|irrit|reizt|\\p{L}*verträglich|toléré|tolerad|tollerat|bien tolera",
    "刺激|亲肤|过敏|過敏|アレルギー|喘息",
    false
  ),
  claim(
    "(?:non-?)?toxi|tóxi|tossic|atóxi|atossic|bpa(?!\\p{L})|ph?thalat|phtalat|ftalat|chemical|lead-free|schadstoff|(?:un)?giftig|weichmacher|nociv|schädlich|schad(?:et|en)(?!\\p{L})|catch fire|harm(?:s|ful)?(?!\\p{L})|hazard|dañ|dannos|fa male|faz mal",
    "无毒|無毒|无害|有害|毒性|伤害|傷害",
    false
  ),
  claim(
    "cures?(?!\\p{L})|heals?(?!\\p{L})|medical|medically|therap|doctor|dermat[oó]log|clinical|fda(?!\\p{L})|relieves? (?:\\p{L}+ )?(?:pain|stress|anxiety)|blood pressure|blutdruck|lindert|soulage|alivia|allevia|steril|germs|germes|gérmenes|germi(?!\\p{L})|microbes|keime|(?:anti-?)?(?:bacteri|bakteri|bactéri)|antibatter|batteri(?!\\p{L})|battericid|virus|viren(?!\\p{L})|keimfrei|medizin|(?:haut|kinder|zahn)?(?:arzt|ärzt)|heilt|klinisch|médic|médec|clinique|guéri|soigne|clínic|terapê|terap|medic[oia]|clinic|cura (?:el|il|la|lo|a|o|os|as|i|le|dores?)(?!\\p{L})",
    "血压|缓解|细菌|杀菌|抗菌|除菌|病毒|治疗|治療|医生|医師|临床|医療",
    false
  ),
  claim(
    "fire-?proof|flame|fire-? ?resist|bullet-?proof|shatter-?proof|feuerfest|schwer entflammbar|ign[ií]fug|résist\\p{L}+ au feu|crash-? ?test",
    "防火|阻燃|耐火",
    true
  ),
  claim(
    "(?:dust|shock|drop|sweat|leak|splash|rain|tamper|rust)-?proof|protects? (?:your |the )?(?:eyes|skin|ears|hearing)|food-? ?(?:grade|safe)|stoßfest|spritzwasser|staubdicht|antichoc|a prueba de|a prova di|à prova de",
    "防摔|防尘|防溅",
    true
  ),
  claim(
    "pediatric|certif|approved|tested|complies|compliant|zertifi|geprüft|zugelassen|tüv|(?:haut|dermatologisch )getest|testé|homologu|approuvé|probad[oa] por|aprobad|testat|approvat|omologat|testad|aprovad",
    "认证|認證|认可|検査済|認証",
    true
  )
]

/** Words that deny: `not waterproof`. */
export const denial =
  /(?<!\p{L})(?:not|no (?:es|está|son|sirve|vale)|never|nor|isn't|\p{L}+n't|nicht|kein\p{L}*|nie|pas|ne|n'|jamais|non|nunca|ni|não|nem|niet|geen)(?!\p{L})(?! (?:only|just|nur|allein|seulement|solo|sólo|soltanto|só|apenas))|不(?!仅|但|只)|没|沒|未|ない|ません/iu

/** Phrases that say what the listing leaves open. */
export const silence =
  /(?<!\p{L})(?:(?:is|are) silent|schweigt|milczy|(?:doesn't|does not|don't|neither|nothing|isn't|is not|not|never|no) (?:\p{L}+ ){0,3}(?:say|says|mention\p{L}*|state[sd]?|specif\p{L}*|list|tell|tells|given|clear)|i (?:don't know|can't (?:see|tell|say|judge)) (?:whether|if|from)|i can't (?:promise|guarantee|confirm|judge)|kann ich (?:\p{L}+ ){0,2}nicht (?:versprechen|beurteilen|sagen)|ne peux pas (?:promettre|garantir|juger)|no puedo (?:prometer|garantizar|asegurar|juzgar)|non posso (?:promettere|garantire|giudicare)|não posso (?:prometer|garantir|afirmar)|(?:nicht|nichts|keine?r?|wird nicht|steht nicht) (?:\p{L}+ ){0,3}(?:erwähnt|angegeben|genannt|angaben?|im titel|im angebot|dabei)|verrät|sagt (?:nichts|nicht)|weiß ich nicht|(?:ne|n') ?(?:précise|dit|mentionne|indique)\p{L}* (?:pas|rien)|pas (?:précisé|mentionné|indiqué)\p{L}*|on ne sait pas|no (?:dice|menciona|indica|especifica|se sabe|se menciona|se indica)|non (?:dice|menziona|specifica|indica|si sa|è (?:citat|indicat)\p{L}*)|não (?:diz|menciona|especifica|indica|se sabe|se menciona))(?!\p{L})|(?:没法|无法|不能)(?:判断|保证|确定)|没有?(?:说|提|写|标)|沒有?(?:說|提|寫)|未(?:注明|说明|提)|記載(?:が|は)?(?:あり)?(?:ません|ない)|書かれて(?:いない|いません)/iu

/** Advice to find out before relying on it. */
export const advice =
  /(?<!\p{L})(?:check(?! out)|ask(?! us)|(?:talk|speak) to|verify|test it|prüf\p{L}*|frag(?:en?|st|t)?|porozmawiać|zapyta\p{L}*|sprawd\p{L}*|vérifi\p{L}*|demandez|comprueb\p{L}*|consult\p{L}*|verific\p{L}*|controll\p{L}*|verifi\p{L}*|confirme)(?!\p{L})|请先|請先|问问|咨询|确认|確認/iu

/** Words of a warning, which claims nothing: `not for people with allergies`. */
export const warning =
  /(?<![\p{L}-])(?:unsuitable|ruled out|not (?:for|suitable)|nothing for|nichts? für|ungeeignet|pas pour|déconseill|descartad|no (?:es |son |apt\p{L}+ )?para|non (?:è |sono )?(?:per|adatt)|sconsigl|não (?:é |são )?(?:para|indicad)|desaconselh)|不能吃|不适合/iu

/** Where a clause ends, so that `the listing doesn't say so, but it is in stock` has two. */
export const clauseEnd =
  /[,;:()–—、，；：]| - |(?<!\p{L})(?:but|however|although|yet|and (?=(?:it|they|you|we|this|the|i)(?!\p{L}))|aber|doch|jedoch|und (?=(?:es|sie|er|du|wir|ich|das)(?!\p{L}))|mais|cependant|et (?=(?:il|elle|vous|nous|on|c')(?!\p{L}))|pero|aunque|ma|però|mas|porém)(?!\p{L})|但|不过|而且|でも|しかし/giu

/** Clauses that ask instead of stating, beside one that says that the answer is unknown: `whether it is waterproof`. */
export const question = /^\s*(?:whether|if|ob|si|s'il\p{L}*|se)(?!\p{L})|^\s*是否|(?:かどうか|吗)\s*$/iu

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
  /^(?:\p{L}+(?:zwanzig|dreißig|dreissig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|hundert|tausend)|(?:venti|trenta|quaranta|cinquanta|sessanta|settanta|ottanta|novanta)\p{L}+|(?:due|tre|quattro|cinque|sei|sette|otto|nove)?cento(?:uno|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|venti|trenta|quaranta|cinquanta|sessanta|settanta|ottanta|novanta)\p{L}*|(?:due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|quindici|venti|trenta|cento)\p{L}*mila|veinti\p{L}+|\p{L}+(?:cient[oa]s|cento|[cz]ent[oa]s))$/u

/** Chinese numerals of several characters, except for words that contain some. */
export const hanNumber = /(?!千万|万一|一一|十分|两三)[一二三四五六七八九十百千万萬亿两兩零〇]{2,}/u
