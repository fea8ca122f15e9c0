import type { LexiconWords } from "./Lexicon.ts"

/** French words by what they do in a sentence. */
export const french: LexiconWords = {
  det: `le la les l un une des du de d chaque tout toute tous toutes au aux n_importe_quel n_importe_quelle`,
  this: `ce cet cette ces`,
  own: `son sa ses leur leurs`,
  poss: `votre vos ton ta tes`,
  mine: `mon ma mes`,
  it: `il elle ils elles celui_ci celle_ci ceux_ci`,
  other: ``,
  you: `vous tu te t`,
  i: `je j`,
  dat: `vous te`,
  be: `est sont être sera serait seront soit`,
  modal: `peut peuvent pourrait pourraient pourrez pouvez peux`,
  will: ``,
  has: `a ont offre offrent possède possèdent propose dispose_de disposent_de comprend comprennent procure
    procurent donne donnent`,
  comes: ``,
  verb: `permet permettent garde gardent protège protègent soutient diffuse adapte s_adapte
    s_adaptent maintient maintiennent isole complète se_plie se_replie éclaire chauffe masse absorbe filtre
    va_avec va_bien_avec se_marie_avec tient tiennent réduit_le_bruit réduit_les_bruits`,
  suits: `convient_à conviennent_à convient_aux conviennent_aux convient_au conviendra_à accompagne va_bien_à
    convient conviennent conviendra`,
  adds: `apporte apportent ajoute ajoutent`,
  make: `rend rendent garde gardent maintient fait font`,
  making: `ce_qui_rend`,
  help: `aide aident vous_aide vous_aident permet_de permettent_de vous_permet_de vous_permettent_de`,
  look: `semble paraît sonne`,
  use: `écouter lire jouer utiliser travailler dormir courir voyager cuisiner écrire nettoyer ranger tenir
    marcher randonner nager dessiner peindre apprendre se_détendre vous_détendre se_concentrer vous_concentrer
    laver plier entretenir installer voyagez dormez courez jardiner boire_du_thé boire_du_café`,
  hold: ``,
  doing: ``,
  wish: `cherchez cherches aimez aimes aime aiment voulez souhaitez souhaites préférez profiter profiter_de`,
  like: `apprécier apprécierez aimer aimerez adorer aime aiment appréciera aimera adorera`,
  rec: `recommande recommanderais conseille conseillerais propose suggère choisissez choisirais`,
  adj: `bon bonne bons bonnes beau belle bel beaux belles joli jolie jolis jolies parfait parfaite parfaits
    parfaites idéal idéale idéales idéaux agréable agréables confortable confortables léger légère légers
    légères doux douce douces petit petite petits petites grand grande grands grandes compact compacte compacts
    compactes pratique pratiques solide solides robuste robustes résistant résistante résistants résistantes
    durable durables polyvalent polyvalente pliable pliables portable portables imperméable imperméables étanche
    étanches chaud chaude chauds chaudes fraîche élégant élégante élégants élégantes moderne modernes classique
    classiques simple simples silencieux silencieuse discret discrète clair claire clairs riche puissant
    puissante ergonomique ergonomiques facile faciles naturel naturelle naturels excellent excellente excellents
    superbe superbes long longue longs longues noir noire blanc blanche bleu bleue rouge vert verte gris grise
    sec sèche secs propre froid froide tendre délicat délicate raffiné raffinée chic charmant charmante moelleux
    moelleuse respirant respirante respirants réglable réglables lavable lavables rechargeable antidérapant
    antidérapante lumineux lumineuse chaleureux chaleureuse adapté adaptée adaptés adaptées quotidien
    quotidienne calme fin fine épais épaisse utile utiles ludique sain tranquille spacieux spacieuse stable
    stables souple souples sportif sportive mouillé mouillés mouillée mouillées précis précise nette fiable
    fiables esthétique créatif créative sans_fil facile_à_transporter faciles_à_transporter facile_à_porter
    faciles_à_porter agréable_à_porter agréables_à_porter confortable_à_porter`,
  enough: ``,
  adv: `très bien vraiment assez aussi également particulièrement surtout facilement doucement parfaitement au_sec
    au_chaud confortablement longtemps idéalement en_plus de_plus à_la_fois`,
  link: `aussi également surtout en_plus de_plus idéalement particulièrement`,
  circ: `partout au_quotidien pendant_des_heures au_bureau à_la_maison`,
  noun: `bureau cuisine chambre jardin voyage voyages trajet trajets quotidien sport course randonnée camping
    pluie hiver été sommeil café thé musique travail bois cuir laine coton métal acier verre caoutchouc bambou
    soie lin tissu pieds mains main tête cou dos peau cheveux yeux oreilles oreille corps eau soleil neige
    montagne forêt mer plage ville salon mur table chaise lit canapé sol balcon terrasse cuisson pain pâtisserie
    légumes goût besoin besoins demande sac valise école sentier sentiers bruit livres lecture chaussures
    vêtements froid nuits_froides`,
  spot: ``,
  trait: `confort style élégance espace chaleur lumière détente calme concentration ambiance fraîcheur`,
  part: `son sons basses batterie matière matériau design forme couleur taille lame manche coussinets tissu
    semelle sangle sangles couvercle touches lumière règles laine coton cuir bois qualité fermeture texture parfum
    odeur saveur arôme écran micro isolation réduction_de_bruit finition finitions coupe motif capacité doublure
    capuche bretelles`,
  kind: `casque écouteurs clavier souris lampe tente sac valise bouteille tasse moulin balance poêle couteau
    couverture oreiller chaussures veste enceinte chargeur théière jeu puzzle montre gourde bonnet chaussettes
    plaid carnet stylo lampe_de_bureau sac_à_dos bougie miroir`,
  choice: `choix option options suggestion suggestions idée idées alternative solution compagnon complément`,
  gift: `cadeau cadeaux`,
  person: `enfant enfants fille fils mère père femme mari ami amie amis famille débutant débutants débutante chien
    chat amateur amateurs quelqu_un grand_mère grand_père parents frère sœur coureur coureurs randonneur
    randonneurs voyageur voyageurs bébé`,
  genitive: ``,
  for: `pour`,
  with: `avec`,
  beside: `avec`,
  prep: `à au aux en dans avec sur sans sous pendant lors_de contre grâce_à comme par de`,
  on: ``,
  upto: ``,
  of: `de d du des`,
  to: `à pour de d`,
  and: `et ou mais ainsi_que`,
  conj: `et mais donc car qui que ce_qui puisque`,
  if: `si`,
  when: `quand lorsque`,
  who: `qui`,
  made: `fait_en faite_en fabriqué_en fabriquée_en conçu_pour conçue_pour conçus_pour fait_pour adapté_à adaptée_à
    adaptés_à adaptées_à adapté_aux adaptée_aux adaptées_aux adaptés_aux`,
  gentle: ``,
  here: `voici voilà`,
  thatIs: `c_est ce_sont`,
  whole: `bonjour bonne_lecture bon_voyage bonne_dégustation`,
  number: `deux trois quatre cinq`,
  refusal: `désolé malheureusement je_suis_désolé je_ne_peux_pas_vous_aider`,
  empty: `je_n_ai_rien_trouvé`
}
