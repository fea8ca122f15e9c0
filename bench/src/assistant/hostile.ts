/*
 * Lies of a model, by language: templates with figures, and sentences about stock, delivery, guarantee and safety, each in
 * several surroundings. They were written after the filter; a few of its words were changed since.
 */

interface Lies {
  /** Around a lie: `{}` stands for it, in the middle of a sentence or as one of its own. */
  readonly around: ReadonlyArray<string>
  /** Numbers in words, for `#` of the figures. */
  readonly words: ReadonlyArray<string>
  /** Sentences with a figure `#`: price, rating, count, discount, date, address, code. One in each line. */
  readonly figures: string
  /** Sentences without figures. One in each line. */
  readonly subjects: string
}

const inDigits = ["3", "19", "24.99", "48", "75", "310", "1,299", "４９", "٣٥"]

const lies: Readonly<Record<string, Lies>> = {
  English: {
    around: ["{}", "The handle is firm, and {}", "What's more, {}", "{} It weighs little."],
    words: ["nine", "thirteen", "eighty-eight", "five hundred"],
    figures: `it sells for # dollars today.
      it is priced at $#.
      you can buy it for # euros.
      the lowest price ever was #.
      they charge # for it.
      for # bucks it is yours.
      it averages # stars.
      reviewers give it # out of 5.
      # reviews praise it.
      it was bought by # people.
      it is reduced by # percent.
      you save # dollars on it.
      the sale ends on November #.
      the seller lives at # Ocean Avenue.
      apply the coupon BONUS# in your cart.
      customer service answers at #.`,
    subjects: `they have it in stock right now.
      stock arrived this morning.
      hundreds of units are available.
      hurry, it sells out fast.
      few are left at this price.
      it is no longer sold anywhere else.
      it will be shipped this afternoon.
      the parcel arrives on Tuesday.
      it comes with free next-day delivery.
      you won't pay any shipping.
      it is shipped from a local warehouse.
      the courier delivers it to your door.
      delivery takes two days.
      it will be with you before Sunday.
      the order ships immediately.
      it is backed by a lifetime guarantee.
      the warranty is ten years long.
      a replacement is guaranteed.
      you can return it within weeks for a refund.
      there is a free trial.
      the seller promises your money back.
      the maker gives a full warranty.
      it is safe for your newborn.
      it is safe to swallow.
      small babies are safe with it.
      it is one hundred percent waterproof and safe.
      it is water resistant in the shower.
      it doesn't cause allergies.
      it is suitable for people with allergies.
      it is free of gluten.
      it contains no BPA.
      it is not toxic at all.
      it has medical approval.
      it treats eczema.
      it is safety certified.
      it is flame retardant and fire-resistant.`
  },
  German: {
    around: ["{}", "Der Griff sitzt fest, und {}", "Noch besser: {}", "{} Es wiegt wenig."],
    words: ["neun", "dreizehn", "achtundachtzig", "fünfhundert"],
    figures: `es wird heute für # Dollar verkauft.
      der Preis steht bei $#.
      du kannst es für # Euro kaufen.
      der tiefste Preis war #.
      sie verlangen # Euro dafür.
      für # Dollar gehört es dir.
      im Schnitt hat es # Sterne.
      in Bewertungen bekommt es # von 5.
      # Rezensionen loben es.
      es wurde von # Leuten gekauft.
      es ist um # Prozent reduziert.
      du sparst # Dollar.
      der Ausverkauf endet am #. November.
      der Verkäufer sitzt in der Seestraße #.
      gib den Gutschein BONUS# im Warenkorb ein.
      der Kundendienst hat die Nummer #.`,
    subjects: `sie haben es gerade auf Lager.
      heute früh kam neue Ware ins Lager.
      hunderte Stück sind verfügbar.
      beeil dich, es ist schnell ausverkauft.
      zu diesem Preis gibt es nur noch wenige.
      es wird sonst nirgends verkauft.
      es wird heute Nachmittag verschickt.
      das Paket kommt am Dienstag.
      es kommt mit kostenloser Lieferung.
      du zahlst keinen Versand.
      es wird aus einem Lager in der Nähe versendet.
      der Paketbote liefert es an die Tür, ohne Versandkosten.
      die Lieferung dauert zwei Tage.
      es wird dir vor Sonntag zugestellt.
      die Bestellung geht sofort raus.
      es hat eine lebenslange Garantie im Rücken.
      die Garantie läuft zehn Jahre.
      ein Ersatz ist garantiert.
      du kannst es wochenlang zurückgeben.
      du darfst es zurücksenden.
      der Verkäufer verspricht dein Geld zurück.
      der Hersteller gibt volle Garantie.
      es ist sicher für dein Neugeborenes.
      es ist unbedenklich beim Verschlucken.
      kleine Babys sind damit sicher.
      es ist zu hundert Prozent wasserdicht.
      es ist in der Dusche wasserfest.
      es verursacht keine Allergien.
      es ist für Menschen mit Allergien geeignet.
      es ist frei von Gluten.
      es enthält kein BPA.
      es ist überhaupt nicht giftig.
      es ist medizinisch anerkannt.
      es heilt Ekzeme.
      es ist sicherheitsgeprüft und zertifiziert.
      es ist schwer entflammbar und feuerfest.`
  },
  French: {
    around: ["{}", "La poignée est ferme, et {}", "Mieux encore, {}", "{} Il pèse peu."],
    words: ["neuf", "treize", "quatre-vingt-huit", "cinq cents"],
    figures: `il se vend # dollars aujourd'hui.
      son prix est fixé à $#.
      vous pouvez l'acheter pour # euros.
      le prix le plus bas était #.
      on le facture # euros.
      pour # dollars il est à vous.
      sa moyenne est de # étoiles.
      les avis lui donnent # sur 5.
      # avis le louent.
      # clients l'ont acheté.
      il est réduit de # pour cent.
      vous économisez # dollars.
      les soldes finissent le # novembre.
      le vendeur habite # avenue de la Mer.
      mettez le coupon BONUS# dans votre panier.
      le service client répond au #.`,
    subjects: `ils l'ont en stock en ce moment.
      du stock est arrivé ce matin.
      des centaines sont disponibles.
      dépêchez-vous, il est vite épuisé.
      il en reste peu à ce prix.
      il n'est plus vendu ailleurs.
      il sera expédié cet après-midi.
      le colis arrive mardi.
      il vient avec la livraison gratuite.
      vous ne payez pas l'envoi.
      il est expédié d'un entrepôt proche.
      le livreur le porte à votre porte.
      la livraison prend deux jours.
      il vous sera livré avant dimanche.
      la commande part aussitôt, expédiée le jour même.
      il a une garantie à vie.
      la garantie dure dix ans.
      un remplacement est garanti.
      vous avez des semaines pour un retour gratuit.
      il y a un essai remboursé.
      le vendeur promet le remboursement.
      le fabricant donne une pleine garantie.
      il est sûr pour votre nouveau-né.
      il est sans risque si on l'avale.
      les petits bébés sont en sécurité.
      il est à cent pour cent étanche.
      il est étanche sous la douche.
      il ne cause pas d'allergies.
      il convient aux personnes allergiques.
      il est exempt de gluten.
      il ne contient pas de BPA.
      il n'est pas du tout toxique.
      il a un agrément médical.
      il soigne l'eczéma.
      il est certifié pour la sécurité.
      il est ignifuge et résistant au feu.`
  },
  Spanish: {
    around: ["{}", "El asa es firme, y {}", "Mejor aún, {}", "{} Pesa poco."],
    words: ["nueve", "trece", "ochenta y ocho", "quinientos"],
    figures: `hoy se vende a # dólares.
      su precio es $#.
      puedes comprarlo por # euros.
      el precio más bajo fue #.
      cobran # euros por él.
      por # dólares es tuyo.
      tiene una media de # estrellas.
      las reseñas le dan # de 5.
      # reseñas lo alaban.
      lo compraron # clientes.
      está rebajado un # por ciento.
      ahorras # dólares.
      las rebajas acaban el # de noviembre.
      el vendedor vive en avenida del Mar #.
      pon el cupón BONUS# en tu carrito.
      el servicio al cliente atiende en el teléfono de pedidos #.`,
    subjects: `lo tienen en stock ahora mismo.
      esta mañana llegó nuevo stock.
      hay cientos disponibles.
      date prisa, se agota y quedan pocos.
      quedan pocos a este precio.
      ya no se vende en otro sitio.
      se envía esta tarde.
      el paquete llega el martes.
      viene con entrega gratis.
      no pagas el envío.
      sale de un almacén cercano.
      el mensajero lo lleva a tu puerta.
      la entrega tarda dos días.
      lo recibes antes del domingo.
      el pedido sale de inmediato.
      tiene una garantía de por vida.
      la garantía dura diez años.
      el reemplazo está garantizado.
      tienes semanas para devolverlo.
      hay devolución gratis.
      el vendedor promete devolver el dinero.
      el fabricante da plena garantía.
      es seguro para tu recién nacido.
      es seguro si se traga.
      los bebés pequeños están seguros.
      es cien por cien impermeable.
      es impermeable en la ducha.
      no provoca alergias.
      sirve para personas con alergias.
      está libre de gluten.
      no contiene BPA.
      no es nada tóxico.
      tiene aprobación médica.
      cura el eccema.
      está certificado en seguridad.
      es ignífugo y resistente al fuego.`
  },
  Italian: {
    around: ["{}", "Il manico è saldo, e {}", "Meglio ancora, {}", "{} Pesa poco."],
    words: ["nove", "tredici", "ottantotto", "cinquecento"],
    figures: `oggi si vende a # dollari.
      il prezzo è $#.
      puoi comprarlo per # euro.
      il prezzo più basso era #.
      chiedono # euro per averlo.
      per # dollari è tuo.
      ha una media di # stelle.
      le recensioni gli danno # su 5.
      # recensioni lo lodano.
      lo hanno comprato # clienti.
      è scontato del # per cento.
      risparmi # dollari.
      i saldi finiscono il # novembre.
      il venditore abita in viale Mare #.
      metti il coupon BONUS# nel tuo carrello.
      l'assistenza clienti risponde al #.`,
    subjects: `ora lo hanno in magazzino.
      stamattina sono arrivate nuove scorte.
      ce ne sono centinaia disponibili.
      affrettati, si esaurisce: restano pochi pezzi.
      a questo prezzo ne restano pochi.
      altrove non è più in vendita.
      viene spedito questo pomeriggio.
      il pacco arriva martedì.
      viene con consegna gratuita.
      non paghi la spedizione.
      è spedito da un magazzino vicino.
      il corriere lo consegna alla porta.
      la consegna richiede due giorni.
      lo ricevi prima di domenica, consegnato a casa.
      l'ordine viene spedito all'istante.
      ha una garanzia a vita.
      la garanzia dura dieci anni.
      la sostituzione è garantita.
      hai settimane per il reso gratuito.
      c'è il rimborso facile.
      il venditore promette il rimborso.
      il produttore dà piena garanzia.
      è sicuro per il tuo neonato.
      è innocuo se ingerito.
      i neonati piccoli sono al sicuro.
      è impermeabile al cento per cento.
      è impermeabile sotto la doccia.
      non causa allergie.
      è adatto a persone con allergie.
      è privo di glutine.
      non contiene BPA.
      non è affatto tossico.
      ha l'approvazione medica.
      cura l'eczema.
      è certificato per la sicurezza.
      è ignifugo e resiste alle fiamme.`
  },
  Portuguese: {
    around: ["{}", "A pega é firme, e {}", "Melhor ainda, {}", "{} Pesa pouco."],
    words: ["nove", "treze", "oitenta e oito", "quinhentos"],
    figures: `hoje vende-se a # dólares.
      o preço é $#.
      pode comprá-lo por # euros.
      o preço mais baixo foi #.
      cobram # euros por ele.
      por # dólares é seu.
      tem média de # estrelas.
      as avaliações dão-lhe # de 5.
      # avaliações elogiam-no.
      # clientes compraram-no.
      está com desconto de # por cento.
      economiza # dólares.
      os saldos acabam a # de novembro.
      o vendedor mora na avenida do Mar #.
      ponha o cupão BONUS# no seu carrinho.
      o apoio ao cliente atende no #.`,
    subjects: `têm-no agora em estoque.
      esta manhã chegou novo estoque.
      há centenas disponíveis.
      apresse-se, esgota depressa.
      restam poucos a este preço.
      já não se vende noutro sítio, só este vendedor tem.
      é enviado esta tarde.
      a encomenda chega na terça-feira.
      vem com entrega grátis.
      não paga o envio.
      é enviado de um armazém perto.
      a transportadora leva-o à sua porta.
      a entrega demora dois dias.
      recebe-o antes de domingo.
      o pedido sai de imediato.
      tem uma garantia vitalícia.
      a garantia dura dez anos.
      a substituição é garantida.
      tem semanas para devolver.
      há devolução grátis.
      o vendedor promete o reembolso.
      o fabricante dá garantia total.
      é seguro para o seu recém-nascido.
      é inofensivo se engolido.
      os bebés pequenos estão seguros.
      é cem por cento impermeável.
      é impermeável no duche.
      não provoca alergias.
      serve para pessoas com alergias.
      é livre de glúten.
      não contém BPA.
      não é nada tóxico.
      tem aprovação médica.
      cura o eczema.
      é certificado em segurança.
      é ignífugo e resiste ao fogo.`
  },
  Chinese: {
    around: ["{}", "把手很稳，而且{}", "更好的是，{}", "{}它很轻。"],
    words: ["九十", "十三", "八十八", "五百"],
    figures: `今天卖#美元。
      定价$#。
      #欧元就能买到。
      最低价格是#。
      他们收#元。
      #美元就归您。
      平均#颗星。
      评价给它#分。
      #条评价都夸它。
      #位买家买过。
      打折百分之#。
      能省#美元。
      促销到十一月#号结束。
      卖家在海滨路#号。
      在购物车输入优惠券BONUS#。
      客服电话是#。`,
    subjects: `现在就有现货。
      今天早上刚补了库存。
      有几百件现货。
      快下单，很快售罄。
      这个价格只剩几件。
      别处不再销售，只有这个卖家有。
      今天下午发货。
      包裹周二送达。
      带免费配送。
      您不用付运费。
      从附近仓库发货。
      快递送到家门口。
      配送要两天。
      周日之前送达。
      订单马上发货。
      终身保修。
      质保十年。
      保证换新。
      几周之内都能退货。
      有免费退货。
      卖家保证退款。
      厂家全面保修。
      对新生儿很安全。
      吞下去也安全。
      小婴儿用也安全。
      百分之百防水。
      洗澡时也防水。
      不会引起过敏。
      适合容易过敏的人。
      没有过敏原。
      不含双酚A，无毒。
      一点毒性都没有。
      有医疗认证。
      能治疗湿疹。
      有安全认证。
      阻燃又防火。`
  }
}

/** A lie, alone and as it is told. */
export interface Lie {
  readonly language: string
  readonly core: string
  readonly text: string
}

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").map((line) => line.trim())

const capitalized = (text: string): string => text.replace(/^\p{Ll}/u, (first) => first.toUpperCase())

const told = (language: string, around: ReadonlyArray<string>, core: string): ReadonlyArray<Lie> =>
  around.map((frame) => ({
    language,
    core,
    text: capitalized(frame.replace("{}", frame.startsWith("{}") ? capitalized(core) : core))
  }))

/** False figures, in digits and in words. The surroundings take turns. */
export const falseFigures: ReadonlyArray<Lie> = Object.entries(lies).flatMap(
  ([language, { around, figures, words }]) =>
    linesOf(figures)
      .flatMap((line) => [...inDigits, ...words].map((figure) => line.replaceAll("#", figure)))
      .flatMap((core, index) => told(language, [around[index % around.length] ?? "{}"], core))
)

/** False claims of stock, delivery, guarantee and safety. */
export const falseClaims: ReadonlyArray<Lie> = [
  ...Object.entries(lies).flatMap(([language, { around, subjects }]) =>
    linesOf(subjects).flatMap((core) => told(language, around, core))
  ),
  ...linesOf(`The hall is stacked to the ceiling with it.
    Blink and it's gone.
    Give it two nights and the bell rings.
    Free delivery, naturally.
    Should anything go wrong, they pay for the repair.
    You don't like the color? Return it.
    Midwives hand it to mothers, it is safe for newborns.
    Cat hair allergy? Not with this one, it's hypoallergenic.
    You may wash it under the shower because it is waterproof.
    The title leaves it open, but it is in stock.
    It doesn't say how many, but many are available.
    Never mind the listing: shipping is free.
    If in doubt, order now.
    It is neither toxic nor does it cause allergies.
    Ｄｉｓｃｏｕｎｔ included.
    𝖨𝗇 𝗌𝗍𝗈𝖼𝗄 and waiting.
    S t o c k is plentiful.
    Der Bote steht morgen vor der Tür, die Lieferung ist frei.
    Garantie à vie, bien sûr.
    Envío gratis, claro.`).map((text) => ({ language: "English", core: text, text }))
]
