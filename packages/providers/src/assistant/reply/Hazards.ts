import type { Language } from "./Languages.ts"

/*
 * Dangers, and what a sentence says of them. `Rain doesn't harm it` denies a harm and `you can use it in the rain` denies
 * nothing: both claim that it is safe. `Not for the rain` and `rain harms it` warn.
 */

/** A subject of safety, in all languages. */
export interface Hazard {
  /** Where or for whom it may be dangerous. */
  readonly dangers: RegExp
  /** What happens then. */
  readonly harms: RegExp
}

const latin = (entries: string): string =>
  entries
    .trim()
    .replaceAll("_", " ")
    .split(/\s*\n\s*/)
    .join("|")
const hazard = (dangers: string, farDangers: string, harms: string, farHarms: string): Hazard => ({
  dangers: new RegExp(`(?<!\\p{L})(?:${latin(dangers)})|${farDangers}`, "giu"),
  harms: new RegExp(`(?<!\\p{L})(?:${latin(harms)})|${farHarms}`, "giu")
})

export const hazards: ReadonlyArray<Hazard> = [
  // Water. The words of a title such as `waterproof` or `IPX7` count as its own.
  hazard(
    `rain|downpour|drizzl|thunder|storms?(?!\\p{L})|snow|hail|puddle|pools?(?!\\p{L})|swim|dunk(?!el)|plung|immers|submerg|soak|splash|spills?(?!\\p{L})|underwater|(?:in|through) the shower|(?:every|single|a) drop(?!\\p{L})|hose(?:d|s)? |moisture(?!\\p{L})|humidity|leave (?:it|this|them) out|left out(?:side|doors)|all (?:year|winter)|water-? ?(?:proof|resist)|ipx|all weathers?|any weather|stays? (?:bone )?dry
    regen|\\p{L}*regen(?!\\p{L})|feuchtigkeit(?!\\p{L})|draußen (?:lassen|stehen|bleiben)|wolkenbruch|gewitter|sturm|unwetter|schnee|pfütze|schwimm|tauch(?:en|st|t)(?!\\p{L})|untertauch|spritzer|\\p{L}*dusche|tropfen|unter wasser|jede[ms]? wetter|(?:bleibt|hält) (?:\\p{L}+ ){0,2}trocken
    pluie|humidité|dehors toute|laisser dehors|averse|orage|neige|piscine|plong|immer[gs]|éclabouss|goutte|douche|sous l'eau|intempér|mouiller|reste (?:au )?sec
    lluvia|humedad|fuera todo|llueva|chaparr|aguacero|tormenta|nieve|piscina|sumerg|zambull|salpic|gotas?(?!\\p{L})|ducha|bajo el agua|mojar|intemperie|sigue seco
    piogg|umidità|fuori tutto|piov|acquazz|temporal[ei]|neve|immerg|tuff|schizz|gocc[ei]|doccia|sott'acqua|resta asciutt
    chuva|umidade|humidade|ao ar livre o|chover|temporal|aguaceiro|mergulh|respingo|chuveiro|debaixo d'água|intempérie|molhar|continua seco`,
    "雨|潮湿|室外|雪里|泳池|游泳|泡[在进]|浸|溅|滴水|进水|水里|干爽|プール|水没|濡れ|雪の中",
    `rust(?!ic)|(?:single|one) (?:drop|splash)|corro|seep|penetrat|(?:water|drop|moisture|wet|rain) (?:\\p{L}+ ){0,2}(?:in|inside|through)(?!\\p{L})|leak(?!-? ?proof)
    rost(?:en|et|e)?(?!\\p{L})|ein(?:ziger)? (?:tropfen|spritzer)|kein(?:e|en)? (?:tropfen|spritzer)|dring(?:t|en)|eindring|durchläss
    rouill|(?:une|aucune) (?:goutte|éclabouss)|pénètr|infiltr
    oxid|una (?:sola )?(?:gota|salpic)|ninguna gota|cuela (?:\\p{L}+ ){0,3}(?:agua|gota)|entra (?:\\p{L}+ ){0,3}(?:agua|gota)|agua (?:\\p{L}+ )?entra|penetr|filtr[ae]
    arruggin|(?:un[oa]?|nessun[oa]?) (?:schizz|gocci)|entra (?:\\p{L}+ ){0,3}(?:acqua|gocci)|acqua (?:\\p{L}+ )?entra
    enferruj|(?:uma|nenhuma?) (?:gota|respingo)|entra (?:\\p{L}+ ){0,3}(?:água|gota)|oxid`,
    "生锈|一[点滴].{0,2}[水雨]|渗|漏|錆"
  ),
  // Fire and electricity.
  hazard(
    `(?:open|naked|a|any) flames?(?!\\p{L}| small| low)|fire(?!\\p{L})|blaze|red-hot|heat ?proof
    flamme|feuer|hitzebeständ
    feu(?!\\p{L})
    (?:una|la) llama(?!\\p{L})|llamas|fuego
    fiamm|fuoco
    chamas?(?!\\p{L})|fogo(?!\\p{L})`,
    "明火|火焰|炎",
    `c(?:at|aug)\\p{L}* fire|set\\p{L}* (?:on fire|fire)|burns?(?!\\p{L})|ignit|electrocut|(?:electric )?shocks?(?!\\p{L})|overheat|explo
    brenn|fängt (?:\\p{L}+ ){0,7}feuer|stromschl|überhitz|explod
    prend\\p{L}* feu|brûl|décharge|électrocut|surchauff
    ard[ae](?!\\p{L})|prend\\p{L}* fuego|incendi|quem|calambre|descarga|electrocut|sobrecalient
    brucia|prend\\p{L}* fuoco|incendi|scossa|folgora|surriscald
    queima|peg\\p{L}* fogo|incend|choque|sobreaquec|superaquec`,
    "烧|触电|漏电|着火|起火|爆炸|感電|発火"
  ),
  // Children, animals and what they put into their mouths.
  hazard(
    `newborn|from birth|infants?(?!\\p{L})|bab(?:y|ies|ys)(?!\\p{L}| ?bottle| on board)|toddler|pregnan|little ones?(?!\\p{L})|(?:in|into) (?:the|its|his|her|their|your) mouth|chew|gnaw|lick|suck on
    ab geburt|bab(?:y|ys)(?!\\p{L})|neugebor|säugling|kleinkind|schwanger|(?:dein|ihr)e?n? kleine[srn]?(?!\\p{L})|in den mund|nuckel|lutsch|\\p{L}*kauen|knabber|lecken|leckt
    dès la naissance|nouveau-?né|nourrisson|bébé|(?:femmes? |pour )enceintes?|tout-petit|votre petit|(?:à|dans) la bouche|mâch|léch|mordill
    desde (?:el|o) nacimi?ento|recién nacid|bebé|embaraz|tu peque|(?:a|en) la boca|chup|lam(?:er|e|en|erlo)(?!\\p{L})|mord
    dalla nascita|neonat|gravidanza|incint[ae]|tuo piccolo|i più piccoli|in bocca|succhi|mastic|lecc
    desde o nascimento|bebês?(?!\\p{L})|recém-nascid|gestante|grávida|pequenin|seu pequeno|(?:à|na) boca|lamb`,
    "婴儿(?!车)|嬰兒(?!車)|新生|宝宝|孕|嘴里|咬|啃|舔|赤ちゃん|乳児|妊娠",
    `hurt|injur|swallow|chok(?:e|ing)|strangl|pinch|(?:child|kid|toddler)\\p{L}* (?:\\p{L}+['\\p{L}]* ){0,3}open
    verletz|erstick|verschluck|einklemm|kind(?:er)? (?:\\p{L}+ ){0,3}(?:aufbekomm|aufkrieg|öffn|aufmach)
    bless(?:er|e|ure|ent|és?)(?!\\p{L})|étouff|aval(?:er|e)|enfant (?:\\p{L}+ ){0,4}(?:l')?ouvr
    heri[rd]|lastim|daño|atragant|ahog|tragar|niño (?:\\p{L}+ ){0,3}abr
    far(?:si|ci|gli)? male|feri(?:re|rsi|sc)|soffoc|strozz|ingoi|bambin\\p{L}* (?:\\p{L}+ ){0,3}apr
    machuc|feri[r-]|engasg|sufoc|engol|criança (?:\\p{L}+ ){0,3}abr`,
    "受伤|受傷|噎|窒息|夹手|误吞|误食|打不开|怪我|誤飲"
  ),
  // Skin and health.
  hazard(
    `(?:gentle|kind|mild|soft|good) (?:on|to|for|with) (?:\\p{L}+ )?(?:skin|asthma\\p{L}*|people)|(?:sensitive|delicate|fragile) skin|atopic|psoriasis|dermatit|arthrit
    empfindliche\\p{L}* haut|hautfreundlich|hautverträg|sanft zu|neurodermit|schuppenflecht
    peaux? (?:sensible|fragile|délicate|atopique)|doux pour la peau|dermatite|eczéma|psoriasis
    piel(?:es)? (?:sensible|delicada|atópica)|suave con la piel|dermatit|psoriasis
    pell[ei] (?:sensibil|delicat|atopic)|delicat[oa] sulla pelle|dermatit|psoriasi
    peles? (?:sensíve|delicada|atópica)|(?:suave|gentil) (?:com|para) a pele|dermatit|psoríase`,
    "湿疹|皮炎|敏感肌|低敏|皮肤敏感|敏感な肌|肌に優し",
    `fumes|vapou?rs?(?!\\p{L})|off-?gas|rash(?:es)?(?!\\p{L})|itch|breakout|redness|headaches?|nausea
    ausschlag|dünst|dämpfe|juck|rötung|kopfschmerz
    rougeur|éruption|vapeurs?(?!\\p{L})|démange|maux de tête
    sarpullid|vapores|picor|rojec|dolor(?:es)? de cabeza
    arrossa|sfogo|eruzion|vapori|prurit|mal di testa
    coceira|vapor(?:es)?(?!\\p{L})|vermelhid|dor de cabeça`,
    "发红|皮疹|异味|发痒|起疹|头痛|かゆ|かぶれ"
  ),
  // Rays, mold, falls, tests and food.
  hazard(
    `uv(?!\\p{L})|(?<!\\p{L})ce[- ](?:mark|label|zeichen|sign|logo)|(?:marque|marca|marchio) ce(?!\\p{L})|(?:sun|uv)(?:'s)? ?rays|sunburn|blue light|indestruct|unbreak|(?:survives?|withstands?) (?:a|any|every|the) (?:drop|fall|crash|tumble)|(?:dropp?|fall)\\p{L}* (?:it )?(?:from|onto|off)|(?:pass|meet|exceed|surpass|compl)\\p{L}* (?:\\p{L}+ ){0,4}(?:tests?|standards?|norms?|rules|requirements?|regulations?|inspections?)(?!\\p{L})|(?:fine|ok|okay|suitable|good|contact) (?:for|with) food
    \\p{L}*strahl(?:en|ung)|blaulicht|sonnenbrand|unzerstör|unzerbrech|bruchfest|(?:übersteht|überlebt) (?:jeden|einen|auch) sturz|stürze|\\p{L}*prüfung\\p{L}* best|(?:erfüllt|entspricht|bestand\\p{L}*|besteht) (?:\\p{L}+ ){0,4}(?:\\p{L}*test|norm|\\p{L}*vorschrift|\\p{L}*anforderung|prüfung)|für lebensmittel|lebensmittelecht
    rayons|lumière bleue|indestruct|incassable|chutes?(?!\\p{L})|(?:pass|réuss|respect)\\p{L}* (?:\\p{L}+ ){0,4}(?:tests?|normes?|règle|exigence)|contact alimentaire|(?:contact|pour) (?:avec )?les aliments
    rayos|luz azul|indestruct|irrompible|caídas|(?:super|pas|cumpl)\\p{L}* (?:\\p{L}+ ){0,4}(?:pruebas?|normas?|reglas?|requisitos|tests?|controles)|(?:contacto con|apto para) (?:los )?aliment
    raggi|luce blu|indistrutt|infrangib|cadut[ae]|(?:super|rispett)\\p{L}* (?:\\p{L}+ ){0,4}(?:test|norm[ae]|regol[ae]|requisit|prov[ae])|contatto con (?:gli )?aliment|per alimenti
    raios|inquebr|(?:a|às) quedas|(?:pass|super|cumpr|atend)\\p{L}* (?:\\p{L}+ ){0,4}(?:testes?|normas?|regras?|requisitos|provas?)|contato com aliment|contacto com aliment`,
    "ce标志|紫外线|蓝光|防晒|摔不|耐摔|(?:通过|符合).{0,8}(?:检测|测试|标准|规定)|接触食[物品]|食品级|双酚|紫外線|食品に",
    `kills? |mou?ld(?:y|s)?(?!\\p{L})|mildew|germs|pathogen
    schimm(?:el|elt)|keime(?!\\p{L})|krankheit
    moisi|microbes
    moho(?!\\p{L})|gérmenes
    muff[ae]|germi(?!\\p{L})
    mofo|germes`,
    "发霉|霉菌|カビ"
  )
]

/** Words that say that a danger matters, or warn of it. */
export const matters =
  /(?<!\p{L})(?:bother|concern|hesita|second thought|matter|(?<!in )mind(?!\p{L})|faze|affect|damag|harm|hurt|ruin|worr|afraid|fear|issue|problem|trouble|danger|careful|caution|beware|avoid|keep (?:it |them )?away|watch out|too |macht|ausmach|stör|schad|anhaben|(?:sorge|bedenken|gefahr)(?!\p{L}*los)|angst|gefähr|vorsicht|vermeid|achtung|zu (?:schnell|klein|stark|groß)|gên|craint|crainte|abîm|peur|souci|dang|risque|évit|attention|trop |molest|afecta|importa|miedo|preocup|peligro|riesgo|tem(?:e|or)(?!\p{L})|evit|cuidado|demasiado|cosquill|paura|disturb|dann|pensier|perico|rischi|attenzione|troppo|né caldo|ni chaud|fait rien|hace nada|fa niente|faz nada|problem|slower|langsam|plus lent|más lento|più lento|mais lento|medo|recei|incomod|mossa|perigo|risco|demais|muito rápido)|怕|担心|影响|问题|没事|惧|危险|小心|留心|注意|避免|当心/iu

/** Words that deny, also those that deny a harm only. */
export const negation =
  /(?<!\p{L})(?:not|(?<!se )no|none|nothing|nobody|never|neither|nor|without|impossible|hardly|cannot|\p{L}+n't|nicht|nichts|kein\p{L}*|nie|niemand|ohne|unmöglich|pas|ne|n'|jamais|sans|rien|personne|aucun\p{L}*|alcun\p{L}*|ni|sin|nada|nadie|nunca|ning[uú]n\p{L}*|imposible|non|senza|niente|nessun\p{L}*|nulla|mai|impossibile|nemmeno|não|sem|nem|ninguém|nenhum\p{L}*|impossível|niet|geen)(?!\p{L})|不(?!仅|但|只)|没|沒|未|无|無|勿|别|ない|ません/iu

/** Words that deny a harm: `it resists mold`. */
export const resistance =
  /(?<!\p{L})(?:resist|repel|kill|block|prevent|protect|stops?(?!\p{L})|shrug|against|abweis|gegen|schützt|hält|contre|protège|contra|proteg|contro|blo(?:qu|cc)|imped|elimin)|阻|抵|抗|杀/iu

/** Conditions: `if it rains`, but not `even if it rains`. */
export const condition =
  /^\s*(?:if|when|unless|wenn|falls|si|quand|cuando|se|quando|caso)(?!\p{L})|^\s*\p{Script=Han}{0,3}(?:如果|若|要是)|(?<!(?:even|auch|selbst|même|incluso|anche|mesmo) )(?<!\p{L})(?:whether|ob (?:sie|es|er)|si (?:elle|il)|se (?:è|sia|ele|ela)|if there|if you have|wenn du|si hay|si tu as|se hai|se houver)/iu

/** More words of commerce, by what they are about: a seller who speaks, arrival, scarcity, payment, repair, and other people. */
export const paraphrases: Record<Language, string> = {
  en: `your_(?:address|details|data|money|parcel|package|payment|purchase|satisfaction|investment) (?:talk|speak|chat)_(?:to|with)_(?:a_human|a_person|someone|an?_agent|them|us) day_after_$ the_day_after following_day this_(?:year|month|season) currently at_the_moment right_now lately these_days (?:shelves|racks)_(?:\\p{L}+_){0,3}(?:empty|bare) (?:all|major|every)_(?:\\p{L}+_)?cards? you're_(?:protected|insured) you_are_(?:\\p{L}+_)?(?:protected|insured) (?:final|last|limited)_run in_no_time miss_it$ no_longer_(?:made|produced) free_(?:of|from)_(?:anything|any|all)_ on_file
    visa$ mastercard apple_pay google_pay klarna (?:the|this|our|every)_(?:store|shop)_(?:has|keeps|will|is_at|offers|ships) back_room (?:piles|stacks|heaps|loads|lots|plenty|tons|hundreds)_of_(?:these|them|it$) stacked_to supplies snapp(?:ed|ing)_(?:it|them|these|this)?_?up flying_off off_the_shelves (?:the|its)_(?:maker|manufacturer|brand|company)_(?!says|states|lists|recommends|advises|describes|calls|doesn't|does|gives) an_agent advis[eo]r$ reach_(?:the_|our_)?(?:team|seller|us|them) the_team$ the_team_ the_form_on gift-wrap members_ (?:mail|bring|hand|give|post|ship|pack)_(?:it|them)_back not_happy (?:don't|doesn't|do_not)_like_it$ (?:next|any|this|following)_(?:morning|hour|evening) at_any_hour of_the_(?:day_or|clock) any_time_of i(?:'ve|_have)_(?:already_|just_)?(?:placed|put|ordered|reserved|added|booked|sent|saved|set_aside) you(?:'ll|_will)_have_(?:it|this|them)_(?:in|by|on|within|before|to) in_two_days_ (?:porch|doormat|mailbox|letterbox|front_door) (?:a|the)_(?:driver|van|truck|postman)_(?:brings|comes|rings|drops|hands|will|pulls) man_in_a top_pick first_choice_of highest_(?:score|rank|mark) best_in_class number_one swear_by swears_by (?:nurses|vets|doctors|dentists|teachers|experts|professionals|celebrit\\p{L}+|athletes)_(?:\\p{L}+_)?(?:recommend|love|use|choose|trust|pick|prefer|swear) (?:of|by)_(?:nurses|vets|doctors|dentists) (?:send|sends|get|gives)_(?:you_)?another will_(?:fix|swap|replace)_ due_until nothing_is_due no_extra_ every_penny assured peace_of_mind in_transit picked_up_by hands_it_over brings_it
    we$ we'll we've us$ ours?$ someone_(?:replies|answers|picks|will) somebody real_person helpline
    (?:you|to|we)_ring give_\\p{L}+_\\p{L}+_a_call 24/7 overnight in_your_hands
    (?:by|before|over)_(?:the_)?weekend within_(?:the_|a_)?(?:hours?|days?|weeks?) (?:same|very)_(?:day|afternoon|evening|morning)
    gets_there turns_up_(?:at|in|within|by|on|when|before|soon) usually_turns_up abroad customs depot warehouse hub$ carrier postage vanish sell(?:s|ing)?_out (?:is|are|be|it's|they're|was|were)_gone
    dawdle don't_(?:wait|hesitate|delay|miss) handful_(?:left|remain|of_(?:them|these|units)) (?:only|few)_(?:\\p{L}+_){0,3}remain
    (?:made|produced|come)_again discontinu batch$ while_they_last plenty_left left_(?:on|in_the)_ settle_(?:up|the|it|your)
    interest-free (?:without|zero|no)_interest monthly_\\p{L}+ per_month your_card card_details at_the_till (?<!fits_)the_bill charges?_you zilch
    for_nothing at_no_ on_us$ a_cent you're_covered are_covered for_life lifetime stands?_behind (?:is|are|be|get|gets)_replaced(?!_(?:once|every|regular|after|when|yearly|from_time|now))
    replaces_ (?:a|free)_replacement defect faulty a_new_one a_fresh_one put_right repair(?:s|ed)_ fixed_for sen[dt](?:ing)?_(?:it|them)_(?:back|home)
    tak(?:e|ing)_it_back change_your_mind swapping_(?:it|one) swap_it (?<!in_)exchang cart$ been_confirmed (?:order|purchase|payment)_(?:\\p{L}+_){0,3}confirmed being_packed cancel_(?:it|your|the|what|any|the_order) bulk_ wholesale follow_your tracking_
    they(?:'ll|_will)?_(?:send|ship|pick|take|replace|give|swap|fix|deliver|refund|help|answer|collect|offer|let|mail|post)
    twice_as_many many_people half_(?:the_)?price (?:full_|whole_)?(?:third|quarter|half|tenth|fifth)_(?:off|of_the_(?:bill|price|people|total)) one_in_
    (?:couple|dozens|hundreds|thousands)_of_(?:\\p{L}+_){0,2}(?:people|folks|owners) a_couple_of_thousand folks households visitors everyone_(?:who|raves) rave`,
  de: `(?:deine|ihre)_(?:adresse|daten|zahlung|ware) (?:sprich|reden|sprechen)_(?:\\p{L}+_){0,2}mit_einem tag_danach tag_darauf (?:dieses|diesem)_(?:jahr|monat) derzeit momentan zurzeit gerade_eben regale_(?:\\p{L}+_){0,3}leer karten_gehen (?:alle|gängigen)_\\p{L}*karten du_(?:\\p{L}+_){0,2}geschützt bist_du_(?:\\p{L}+_){0,2}geschützt (?:bekommst|kriegst)_du_(?:\\p{L}+_){0,2}(?:ander|neu) man_(?:schickt|gibt|ersetzt|hilft)_(?:dir|ihnen) nachproduz nicht_mehr_(?:hergestellt|produziert|gefertigt) nummer_eins zurück_(?:geht|geben|nehm) die_post_ samstags hinterlegt
    visa$ mastercard apple_pay klarna hinterzimmer stapeln_sich gehen_weg weg_wie fußmatte briefkasten (?:der|ein)_fahrer (?:der|die)_(?:hersteller|marke|laden|firma)_(?!nennt|gibt|sagt|schreibt|empfiehlt|spricht|bezeichnet|macht) schickt_(?:\\p{L}+_){0,4}ander tauscht_ fällig berater im_chat (?:jeder|zu_jeder)_stunde päckchen ich_habe_(?:es|ihn|sie)_ nächsten_morgen nicht_zufrieden gefällt_(?:es|er|sie)_(?:\\p{L}+_)?nicht gegenwert gehört_(?:es|er|sie)_dir schwören (?:tierärzt|ärzt|experten|profis|lehrer|krankenschw)\\p{L}*_(?:\\p{L}+_)?(?:empf|nehmen|lieben|schwör|nutzen) monatsraten in_zwei_tagen hast_du_es (?:du|sie)_(?:hast|haben)_es_(?:in|bald|bis|am) nur_noch_heute bring(?:t|en)_(?:es|ihn|sie)_ ohne_aufpreis inklusive_versand jederzeit_(?:erreich|kündb|umtausch)
    wir$ uns$ unser (?:im|in_den)_regal_ reichlich_im reichlich_da vergriffen nachschub (?:weg|alle|aus)_(?:sind|ist) trödel zöger semmeln handvoll
    gehen_\\p{L}+_weg über_nacht wochenende wenigen_(?:tagen|stunden) wenige_tage in_den_händen in_händen (?:an_die|vor_der|an_der)_tür haustür bote$
    zoll_in ausland geschickt schick\\p{L}*_(?:\\p{L}+_){0,4}zurück raten$ ratenzahl zinsen bargeld kartendaten an_der_kasse begleich
    abgesichert abgedeckt leben_lang lebenslang dafür_gerade ersetzt_(?:defekt|\\p{L}+_teile) (?:wird|werden|kriegst|bekommst)_(?:\\p{L}+_){0,2}ersetzt defekt kaputt
    mangel$ mängel behoben reparier ein_neues$ einen_neuen$ anstandslos schreib_(?:uns|ihnen|eine) eine_mail antwortet (?:nimmt|geht)_(?:ab|ran)$
    anruf echter_mensch dein_kauf kauf_jetzt (?:kauf|zahlung)_(?:\\p{L}+_){0,3}bestätigt eingepackt sendung verfolgen stornier doppelt_so_viele
    jede[rs]?_(?:zweite|dritte|vierte|fünfte|zehnte)_(?!\\p{L}*woche|tag|monat|jahr) besucher drittel_(?:vom|des) hälfte_(?:vom|des_preis) halben_preis (?:viele|tausend)_leute leute_(?:greifen|kaufen|schwör|nehmen|haben|lieben) tausende
    selben_(?:tag|nachmittag|abend) nächsten_(?:tag|monat)$ tagen_da sie_(?:holen|schicken|liefern|ersetzen|tauschen)_ haben_es_(?:\\p{L}+_)*gekauft haushalte`,
  fr: `votre_(?:adresse|argent|paiement) vos_(?:données|coordonnées) parlez_(?:à|avec)_ à_un_humain à_tout_moment cette_(?:année|saison) ce_mois-ci actuellement en_ce_moment rayons_(?:\\p{L}+_){0,3}vides toutes_les_cartes vous_êtes_(?:\\p{L}+_)?(?:protégé|assuré) on_vous_ (?:plus|sera)_produite? numéro_un le_rendre la_rendre enregistrée
    visa$ mastercard apple_pay la_réserve petits_pains s'arrachent paillasson boîte_aux_lettres le_chauffeur lendemain (?:le|la|l')_?(?:fabricant|marque|enseigne|magasin|entreprise)_(?!indique|précise|annonce|dit|parle|recommande|conseille|décrit|ne) envoie_un_autre en_envoie échange_(?:tout|les|la) en_six_fois en_\\p{L}+_fois conseiller toute_heure je_l'ai j'ai_(?:réservé|ajouté|mis|commandé) l'aurez l'aura_ pas_content ne_vous_plaît_pas renvoy ne_jurent vétérinaires_ (?:experts|médecins|infirmi\\p{L}+|professionnels)_(?:l'|le_|la_|recommand|conseill) port_est est_parti_ce partie_ce tout_de_suite_chez
    (?<!chez_)nous$ notre$ nos$ (?:une_fois|sont|est|seront)_partis? fabriqués$ réapprovision entrepôt dépôt poignée$ en_une_nuit quelques_jours week-end parvien
    arrive_(?:au|en|dans|avant|vite|à) il_arrive l'étranger douane chez_vous votre_porte de_la_porte (?:entre|dans)_vos_mains facteur centimes?$ le_port$ mensualit
    intérêts$ sans_intérêt espèces régler_(?:plus|en|à|la|par) couverts?_(?:à|en|pour|contre)_ couverte_ à_vie$ à_vie_ en_répond répond_pendant remplace_(?:les|la|le|tout)
    est_remplac remplacée?s?_(?:pour|sans|grat) défectu casse$ panne un_neuf coup_de_fil assistance décroche vos_appels vraie_personne quelqu'un_
    commandes$ deux_fois_plus_de tiers_(?:du|d') dixième_d moitié_(?:prix|du_prix) coupé_en_deux visiteurs personnes_(?:s'en|l'|ont) gens$
    milliers_de_(?:gens|personnes|client|foyer|famille) panier$ tarif addition$ même_jour après-midi_même foyers expédie s'arrach`,
  es: `(?:tu|su)_(?:dirección|dinero|pago) tus_datos (?:habla|hable)_con_ día_siguiente este_(?:año|mes) esta_temporada actualmente en_este_momento estant\\p{L}+_(?:\\p{L}+_){0,3}vací todas_las_tarjetas (?:estás|está_usted)_(?:\\p{L}+_)?(?:protegid|asegurad) te_(?:mandan|envían|llevan|ayudan|regalan) (?:se_producirá|dejará_de) número_uno los_sábados
    visa$ mastercard apple_pay trastienda de_sobra churros felpudo buzón (?:el|un)_conductor mañana_siguiente (?:el|la)_(?:fabricante|marca|tienda|empresa)_(?!indica|dice|no_|recomienda|menciona|describe|anuncia) manda_otro mánda abonar en_seis_ asesor cualquier_hora (?:ya_)?(?:lo|la|te_lo)_he_ lo_tendrás la_tendrás tendrás_en no_te_(?:gusta|convence) porte_está estará_en salió_esta veterinarios (?:expertos|médicos|enfermer\\p{L}+|profesionales)_(?:lo|la|recomiend|aconsej)
    nuestr nosotros quedan_(?!desc|fuera|muy|bien|mal|gen|perf|fen) queda_(?:un|poco|poca|solo) montones$ montones_en volando se_agot agotará se_acab fabricarse repartidor fin_de_semana
    pocos_días de_un_día te_llega llegar_(?:a|en|antes) sale_del depósito$ depósito_es (?:lo|la|te)_mandan? mandas_ de_vuelta islas extranjero aduana estás_cubiert cubierto_de
    de_por_vida responde_(?:durante|por) cambia_las se_(?:rompe|estropea|parte|avería)_? te_(?:dan|la_reponen|lo_reponen|cambian) uno_nuevo repon sin_cobrar arrepent lo_pagado
    (?:el|en)_efectivo puerta_de de_tu_tarjeta tarjeta_viaj línea_de_ayuda de_atención llames descuelga persona_de_verdad persona_real a_plazos
    intereses cuotas despach millares miles_de_ gente_ personas_(?:se|lo|la|ya) doble_de visitantes tercio_(?:de|del|menos) mitad_de_precio misma_tarde mismo_día hogares`,
  it: `(?:tuo|suo)_(?:indirizzo|denaro|pagamento) tuoi_dati parla_con_ giorno_(?:dopo|seguente|successivo) quest'anno questo_mese attualmente al_momento scaffali_(?:\\p{L}+_){0,3}vuot tutte_le_carte sei_(?:\\p{L}+_)?(?:protett|assicurat) ti_(?:danno|mandano|aiutano|rendono|portano) più_prodott numero_uno (?:può|puoi)_renderl?o? rendere_anche è_da_te tua_carta alla_cassa di_sabato
    visa$ mastercard apple_pay retrobottega ne_restano vanno_via come_il_pane zerbino buca_delle l'autista mattina_dopo (?:il|la)_(?:produttore|fabbricante|marca|negozio|azienda)_(?!indica|dice|non_|consiglia|parla|descrive|dichiara) ne_manda manda_un rispedi in_sei_volte consulente ogni_ora (?:te_)?l'ho_ l'ho$ ho_già_ lo_avrai la_avrai l'avrai non_ti_piace porto_è sarà_sul pacco_è partito_st veterinari (?:esperti|medici|infermier\\p{L}+|professionisti)_(?:lo|la|consigli|raccomand)
    nostr[oa]$ noi$ ce_ne_sono_(?:ancora|poch|tant|a_) sugli_scaffali rest(?:a|ano)_(?:solo|ancora|poch) finiti_quest ne_faranno bizzeffe manciata nel_giro_di (?<!di_)pochi_giorni una_notte ti_arriva
    fine_settimana il_deposito dal_deposito (?:lo|la|te)_mandano rimand isole all'estero dogana le_spese per_il_trasporto chiederà offre_la_casa copert[oa]_a a_vita$ a_vita_ ne_risponde
    risponde_per cambia_i difettos si_(?:rompe|guasta|spezza) te_(?:ne|lo|la)_ uno_nuovo senza_spese ripens riavere saldare_(?:più|in|dopo|il|la|a) rate$ rate_senza interessi contanti porta_di_casa
    scrivici una_mail rispondono numero_verde carrello nel_cestino da_parte persona_vera cornetta chiami$ eurini parer[ei]$ famiglie_(?:ne|lo|la) visitator gente$
    persone_(?:l'|lo|ne|hanno) doppio_dell un_(?:terzo|decimo|quarto)_(?:del|in) metà_prezzo stesso_(?:giorno|pomeriggio) migliaia usciti_`,
  pt: `(?:seu|teu)_(?:endereço|dinheiro|pagamento) seus_dados (?:fale|fala)_com_ dia_seguinte este_(?:ano|mês) neste_(?:ano|mês|momento) atualmente prateleiras_(?:\\p{L}+_){0,3}vazi todos_os_cartões você_(?:fica|está)_(?:\\p{L}+_)?(?:protegid|segurad) (?:enviam|devolvem)_ mais_produzid número_um carteiro aos_sábados
    visa$ mastercard apple_pay pix$ fundos_da pãezinhos capacho caixa_de_correio o_motorista manhã_seguinte (?:o|a)_(?:fabricante|marca|loja|fábrica|empresa)_(?!indica|diz|não_|recomenda|menciona|descreve|declara|informa) manda_outro mande_ em_seis_vezes atendente qualquer_hora já_(?:fiz|coloquei|reservei|pedi|encomendei) (?:o|a)_terá terá_(?:o|em) não_gostou estará_no saiu_(?:hoje|esta) veterinários (?:especialistas|médicos|enfermeir\\p{L}+|profissionais)_(?:o|a|recomend|indic)
    nosso nossa aos_montes voando acabar(?:em|am) fabricam_ chega_(?:de_um|num|rápid|logo) fim_de_semana do_depósito no_depósito despach mandam_ mandar_de de_volta$ exterior$
    exterior_com alfândega ilhas portes_(?:são|gr|est) por_conta_da coberto_ está_cobert responde_(?:por|durante) troca_as trocam_(?:grátis|as_pe|o_produto|por_) se_(?:quebrar|avariar|partir|estragar) dão-lhe um_novo põem_ sem_cobrar
    arrepend reaver pagou acert(?:a|e)_(?:a_conta|no) cartão_(?:segu|est)|seu_cartão criptograf atendimento pessoa_de_verdade pessoa_real linha_de_apoio compre$ prestações
    parcelas juros mês_que_vem de_graça visitantes milhares pessoas_(?:lev|prefer|escolh|compr|já) dobro_d(?:as|os|e)_ um_(?:terço|décimo|quarto)_d metade_do_preço no_cesto mesma_tarde
    mesmo_dia comentários`
}

/** The same in Chinese and Japanese. */
export const unspacedParaphrases =
  "货架|卖光|卖完|不再生产|新货|几天就能|收到|包裹|邮费|运送|一分钱|坏了|毛病|换新|退给|退回|寄回|寄还|反悔|拿回|另外花钱|再付|月付|分期|利息|现金|银行卡|结账|邮件|热线|大批量|批量订|追踪|所剩无几|真人|接听|有人[管回]|付钱|半价|减半|颗星|满分|[一二三四五六七八九两]成(?!为|本)|两倍|抱怨|顾客|终身|我们|一夜|国外|海关|周末|半额|すぐに届|売り場|在庫|無利息|分割払|無償|新品と|お客|堆着|店里|大家都|在抢|拿到|[周星期][一二三四五六日]|家门口|司机|第二天|早上送|厂家再|更换任何|分[一二三四五六两几]+[次期]|支付宝|顾问|随时在线|已经?[帮为替]|兽医|成千上万|[几数]千人|快空了|不会再[做产生出]|停产|有保障|能退|可退|分摊|都能刷|刷卡|人工(?:客|说|服)|您的地址|今年|目前|排名第|给您(?!推荐|参考|建议|选|挑)|弊社|当店|私たち"
