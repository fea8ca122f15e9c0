import type { LexiconWords } from "./Lexicon.ts"

/** Italian words by what they do in a sentence. */
export const italian: LexiconWords = {
  det: `il lo la i gli le l un uno una ogni entrambi entrambe tutto tutta tutti tutte del della dello dei degli
    delle al alla allo ai agli alle nel nella nell nei nelle sul sulla dall dal dalla dell all molto molta
    qualsiasi`,
  this: `questo questa questi queste quest`,
  own: `suo sua suoi sue`,
  poss: `tuo tua tuoi tue`,
  mine: `mio mia`,
  it: `questo questa questi queste entrambi entrambe esso essi`,
  other: ``,
  you: `ti te le vi`,
  i: `io`,
  dat: `ti le vi`,
  be: `è sono essere sarebbe sarebbero`,
  modal: `può possono puoi potrebbe potrebbero`,
  will: ``,
  has: `ha hanno offre offrono include includono dispone_di è_dotato_di è_dotata_di dona donano`,
  comes: ``,
  verb: `permette permettono rende rendono mantiene mantengono protegge proteggono aiuta aiutano tiene tengono
    funziona funzionano taglia illumina riscalda assorbe isola blocca completa occupa si_abbina si_piega
    si_piegano riduce_il_rumore`,
  suits: `serve_a sta_bene_con si_adatta_a si_adattano_a`,
  adds: `aggiunge aggiungono dona donano`,
  make: `rende rendono mantiene mantengono tiene tengono`,
  making: ``,
  help: `aiuta_a aiutano_a ti_aiuta_a ti_aiutano_a permette_di permettono_di ti_permette_di`,
  look: `sembra suona risulta risultano`,
  use: `ascoltare leggere giocare usare lavorare dormire correre viaggiare cucinare scrivere pulire riporre
    utilizzare camminare nuotare disegnare dipingere imparare rilassarsi rilassarti concentrarsi concentrarti
    lavare piegare montare regolare allenarsi studiare viaggi corri riposare suonare tagliare`,
  hold: ``,
  doing: ``,
  wish: `cerchi cerca vuoi desideri preferisci ama godere godere_di`,
  like: `apprezzare apprezzerà amare amerà piacere gradire gradirà`,
  rec: `consiglio consiglierei suggerisco suggerirei raccomando scegli sceglierei`,
  adj: `buona buon buono buoni bello bella belli belle bel ottimo ottima ottimi ottime eccellente eccellenti
    comodo comoda comodi comode confortevole confortevoli leggero leggera leggeri leggere morbido morbida
    morbidi morbide piccolo piccola piccoli grande grandi compatto compatta compatti pratico pratica pratici
    pratiche utile utili resistente resistenti robusto robusta robusti robuste durevole durevoli versatile
    versatili pieghevole pieghevoli portatile portatili impermeabile impermeabili caldo calda caldi calde fresco
    fresca elegante eleganti moderno moderna moderni classico classica semplice semplici silenzioso silenziosa
    silenziosi chiaro chiara nitido nitida potente potenti ergonomico ergonomica facile facili naturale naturali
    piacevole piacevoli ideale ideali perfetto perfetta perfetti perfette adatto adatta adatti adatte lungo
    lunga lunghi lunghe nero nera bianco bianca blu rosso rossa verde grigio freddo fredda asciutto asciutta
    asciutti pulito pulita delicato delicata affascinante accogliente traspirante traspiranti regolabile
    regolabili lavabile lavabili ricaricabile antiscivolo rilassante tranquillo tranquilla solido solida stabile
    stabili flessibile divertente divertenti creativo luminoso sottile ampio ampia spazioso spaziosa affidabile
    preciso precisa quotidiano quotidiana wireless facile_da_portare facili_da_portare comodo_da_portare
    comoda_da_portare facile_da_trasportare facili_da_trasportare`,
  enough: ``,
  adv: `molto bene davvero anche particolarmente soprattutto facilmente perfettamente comodamente inoltre così
    abbastanza`,
  link: `inoltre anche così particolarmente`,
  circ: `a_casa a_lungo per_ore di_notte`,
  noun: `musica lavoro ufficio cucina camera giardino viaggio viaggi sport corsa escursioni campeggio pioggia
    inverno estate sonno caffè tè sudore divano letto tavolo sedia parete pavimento salotto bagno terrazza
    balcone città montagna spiaggia mare bosco sole neve acqua tessuto legno lana cotone metallo acciaio vetro
    gomma bambù seda seta lino piedi mani mano testa collo schiena capelli occhi orecchie corpo pelle pane
    verdure esigenze sentiero sentieri bevande voli volo scuola palestra libri rumore lettura cibo zaino borsa
    notti_fredde`,
  spot: ``,
  trait: `comfort stile eleganza spazio calore luce relax concentrazione ambiente sapore aroma`,
  part: `suono bassi batteria materiale design forma colore dimensioni lama manico tessuto suola cinghie tracolla
    coperchio tasti luce regole lana cotone pelle legno qualità consistenza cerniera profumo sapore aroma schermo
    microfono cuscinetti finitura fantasia capacità corpo fodera imbottitura`,
  kind: `cuffie auricolari tastiera mouse lampada tenda zaino valigia bottiglia tazza macinacaffè bilancia padella
    coltello coperta cuscino scarpe giacca altoparlante caricatore borraccia gioco puzzle orologio occhiali
    cappello calzini teiera borsa quaderno penna candela specchio`,
  choice: `scelta opzione opzioni suggerimento suggerimenti idea idee alternativa soluzione compagno complemento
    consiglio`,
  gift: `regalo regali`,
  person: `bambino bambina bambini figlio figlia madre padre moglie marito amico amica amici famiglia principianti
    cane gatto mamma papà nonna nonno fratello sorella neonato corridori viaggiatori studenti amanti qualcuno
    chi_ama chi_viaggia chi_corre`,
  genitive: ``,
  for: `per`,
  with: `con`,
  beside: `insieme_a`,
  prep: `a al alla allo ai agli alle all in nel nella nell nei nelle con su sul sulla da dal dalla di del della
    senza durante sotto contro come`,
  on: ``,
  upto: ``,
  of: `di del della dello dei degli delle dell d`,
  to: `da a di per`,
  and: `e ed o ma`,
  conj: `e ed ma perché che così`,
  if: `se`,
  when: `quando`,
  who: `che`,
  made: `fatto_di fatta_di fatto_in realizzato_in realizzata_in progettato_per progettata_per pensato_per
    pensata_per adatto_a adatta_a adatte_a adatti_a adatte_alla adatta_alla adatto_alla adatti_alla adatto_al
    adatta_al adatte_al adatti_al`,
  gentle: ``,
  here: `ecco`,
  thatIs: `questi_sono queste_sono questo_è questa_è`,
  whole: `ciao buon_viaggio buona_lettura buon_divertimento`,
  number: `due tre quattro cinque`,
  refusal: `mi_dispiace non_posso_aiutarti_con_questo`,
  empty: `non_ho_trovato_nulla non_ho_trovato_niente`
}
