import type { LexiconWords } from "./Lexicon.ts"

/** German words by what they do in a sentence. */
export const german: LexiconWords = {
  det: `der die das den dem des ein eine einen einem einer eines jede jeder jedes jeden jedem beide allem allen
    ganzen`,
  this: `dieser diese dieses diesen diesem`,
  own: `ihre ihren ihrem ihrer ihr seine seinen sein`,
  poss: `dein deine deinen deinem deiner`,
  mine: `mein meine meinen meiner`,
  it: `er sie es diese dieser dieses beide`,
  other: ``,
  you: `du dich dir ihnen sie euch`,
  i: `ich`,
  dat: `dir ihnen euch`,
  be: `ist sind sein wäre wären`,
  modal: `kann kannst können könnte könnten dürfte würde lässt lassen`,
  will: `wird werden`,
  has: `hat haben bietet bieten besitzt enthält verfügt_über spendet
    spenden`,
  comes: ``,
  verb: `passt passen hält halten sorgt_für sorgen_für schützt schützen wärmt wärmen kühlt kühlen dämpft dämpfen
    unterstützt unterstützen erleichtert ermöglicht verbindet ergänzt ergänzen mahlt mahlen reinigt
    vereint vereinen trocknet absorbiert misst brüht blendet dient_als dienen_als passt_in passen_in
    spielt leuchtet beleuchtet stützt stützen umschließt sitzen_sicher sitzt_sicher sitzt_bequem sitzen_bequem
    schneidet_gemüse schneidet_brot schneidet_fleisch schützt_vor schützen_vor schützt_gegen schützen_gegen
    eignet_sich eignen_sich`,
  suits: `eignet_sich_für eignen_sich_für passt_zu passen_zu passt_gut_zu passen_gut_zu macht_spaß machen_spaß`,
  adds: `verleiht verleihen`,
  make: `macht machen hält halten`,
  making: ``,
  help: `hilft_dir hilft_ihnen hilft helfen lässt_sich lassen_sich ermöglicht_es`,
  look: `klingt klingen fühlt_sich fühlen_sich sieht sehen wirkt wirken schmeckt schreibt arbeitet duftet`,
  use: `hören lesen spielen arbeiten schlafen laufen wandern reisen kochen backen tragen nutzen verwenden
    benutzen transportieren verstauen reinigen waschen mahlen entspannen konzentrieren schreiben trainieren
    lernen zeichnen malen klettern schwimmen joggen radfahren telefonieren einstellen aufbauen bedienen falten
    zusammenfalten üben gärtnern nähen stricken basteln reist schläfst läufst kaffee_trinken tee_trinken`,
  hold: ``,
  doing: `hören lesen spielen arbeiten schlafen laufen reisen kochen backen tragen nutzen verwenden benutzen
    transportieren verstauen reinigen waschen mahlen entspannen konzentrieren schreiben trainieren lernen
    zeichnen malen schwimmen joggen radfahren telefonieren einstellen aufbauen bedienen falten zusammenfalten
    üben nähen stricken kaffee_trinken tee_trinken`,
  wish: `suchst suchen magst mögen möchtest möchten brauchst willst bevorzugst liebt liebst genießen`,
  like: `genießen lieben mögen freuen`,
  rec: `empfehle nimm wähle empfehlen schlage_vor`,
  adj: `gut gute guten guter gutes gutem schön schöne schönes schöner schönen toll tolle toller tolles tollen
    ideal ideale idealer idealen perfekt perfekte perfekter perfektes perfekten passend passende passenden
    passendes geeignet geeignete bequem bequeme bequemer bequemen bequemes komfortabel komfortable komfortablen
    leicht leichte leichter leichtes leichten weich weiche weicher weiches weichen klein kleine kleiner kleines
    kleinen groß große großer großes großen kompakt kompakte kompaktes kompakter kompakten leise leiser leises
    leisen robust robuste robuster robustes robusten stabil stabile stabiler stabilen stabiles langlebig
    langlebige langlebiges praktisch praktische praktischer praktisches praktischen vielseitig vielseitige
    vielseitiges faltbar faltbare klappbar klappbare tragbar tragbare wasserdicht wasserdichte wasserdichten
    wasserfest wasserfeste warm warme warmer warmes warmen kühl kühle angenehm angenehme angenehmer angenehmen
    angenehmes modern moderne modernes modernen elegant elegante elegantes eleganten schlicht schlichte schlichtes
    schlichten klassisch klassische klassisches klassischen hochwertig hochwertige hochwertigen hochwertiges
    kräftig kräftige kräftigen kräftiger klar klare klaren klarer klares satt satten ergonomisch ergonomische
    kabellos kabellose kabellosen drahtlos einfach einfache einfachen natürlich natürliche natürlichen lang lange
    langen langes trocken trockene sauber saubere frisch_duftend kalt kalte kalten ruhig ruhige ruhigen entspannt
    sanft sanfte sanften feine feinen feiner zart edel edle edles zeitlos zeitlose zeitloses dezent dezente
    farbenfroh bunt bunte freundlich gemütlich gemütliche gemütlicher liebevoll sinnvoll sinnvolle nützlich
    nützliche super wunderbar wunderbare wunderbares hervorragend hervorragende
    solide solider solides zuverlässig zuverlässige verstellbar verstellbare waschbar abwaschbar atmungsaktiv
    atmungsaktive rutschfest rutschfeste pflegeleicht wiederaufladbar wiederaufladbare schwarz schwarze schwarzen
    weiß weiße blau blaue rot rote grün grüne grau graue hell helle helles dicht dichte störende störenden schmal
    flach flache flexibel flexible lustig kreativ kreative handlich handliche stilvoll stilvolle stilvolles aktiv
    aktive scharf scharfe scharfen gleichmäßig spaßig geräumig geräumige dünn dicke fein nass nasse nassen
    spannend spannende anpassbar individuell hübsch hübsche hübsches wärmer heller größer`,
  enough: `genug`,
  adv: `sehr ganz auch besonders wirklich richtig zudem außerdem dabei trotzdem deshalb doch eher genau so gut
    gleichmäßig angenehm dazu dafür sowohl als_auch gleichzeitig zugleich leicht bequem leise viel ideal etwas
    an ebenfalls ausgesprochen relativ`,
  link: `so auch zudem außerdem dabei trotzdem deshalb besonders dazu dafür gleichzeitig zugleich ebenfalls`,
  circ: `zuhause draußen im_alltag zu_hause nachts fern lange stundenlang für_unterwegs in_der_wohnung`,
  noun: `reise reisen alltag büro schreibtisch küche schlafzimmer garten arbeit sport training wandern camping
    regen winter sommer schlaf kaffee tee musik wetter wind schnee sonne strand wald berge meer zimmer
    wohnzimmer bad balkon wand tisch stuhl bett sofa boden rucksack koffer zelt auge augen ohr ohren füße füßen
    hand hände händen kopf nacken rücken haut haare körper hals schultern geräusche lärm wasser leder holz wolle
    baumwolle metall stahl glas kunststoff gummi bambus keramik silikon leinen seide merinowolle edelstahl
    getränke gemüse brot kuchen bücher notizen wanderungen ausflüge flüge flügen fahrten pendeln schule uni
    laufen lesen kochen backen spielen schlafen schreiben arbeiten reinigung pflege gebrauch gegenstände
    tierhaare freizeit natur garderobe jahreszeit wünschen wünsche anfrage bedürfnisse urlaub unterricht
    gespräche telefonate kalte_nächte kalten_nächten kühle_nächte lange_abende langen_abenden`,
  spot: ``,
  trait: `komfort viel_platz genug_platz wenig_platz stauraum ordnung spaß freude entspannung konzentration stil wärme
    ruhe licht`,
  part: `klang bass ton qualität material verarbeitung design form farbe größe akku polster polsterung stoff griff
    griffe sohle sohlen fächer fach deckel klinge tasten tastatur layout oberfläche mikrofon ohrpolster gurte
    träger riemen rahmen gehäuse licht regeln wolle baumwolle leder holz schnitt passform muster duft geschmack
    aroma füllung bezug höhe gewicht futter geräuschunterdrückung bild seiten feder tragekomfort dämpfung display
    bedienung schliff`,
  kind: `kopfhörer ohrhörer tastatur maus lampe zelt rucksack koffer flasche tasse mühle waage pfanne messer
    decke kissen schuhe jacke lautsprecher ladegerät spielzeug puzzle uhr brille schlafsack regenjacke schuh
    spiel brettspiel thermoskanne kanne becher mütze socken stirnlampe leuchte schreibtischlampe handschuhe hemd
    kleid stuhl tisch spiegel kerze kaffeemühle notizbuch füller`,
  choice: `wahl tipp idee ideen empfehlung vorschlag vorschläge option alternative ergänzung begleiter
    lösung möglichkeit`,
  gift: `geschenk geschenke`,
  person: `kind kinder kindern tochter sohn mutter vater frau mann freund freundin familie einsteiger anfänger
    hund katze läufer reisende liebhaber kaffeeliebhaber eltern oma opa schwester bruder baby studenten schüler
    wanderer köche jemanden jemand kollegin kollege`,
  genitive: ``,
  for: `für`,
  with: `mit`,
  beside: `zusammen_mit`,
  prep: `in im am an auf aus bei beim mit während durch über unter ohne zu zum zur vom von dank als`,
  on: ``,
  upto: ``,
  of: `von des der aus`,
  to: `zu um_zu`,
  and: `und oder aber sowie sowohl`,
  conj: `und aber denn so dass weil damit während die der das was wobei sodass`,
  if: `wenn falls`,
  when: `wenn während`,
  who: `der die das`,
  made: `gemacht_für geeignet_für gemacht_aus gedacht_für ideal_für aus perfekt_für`,
  gentle: ``,
  here: `hier_sind hier_ist`,
  thatIs: `das_sind das_ist`,
  whole: `viel_spaß viel_freude hallo viel_spaß_damit so_kannst_du_dich_gut_konzentrieren`,
  number: `zwei drei vier fünf`,
  refusal: `es_tut_mir_leid leider dabei_kann_ich_nicht_helfen dabei_kann_ich_ihnen_nicht_helfen
    dabei_kann_ich_dir_nicht_helfen`,
  empty: `ich_habe_nichts_gefunden habe_ich_nichts_gefunden ich_habe_leider_nichts_gefunden`
}
